"""Regular expressions against Python's `re`, and what they cost: steps, memory, time, Ctrl-C."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent
from tests.support.programs_run import command_of

BACK_ENDS = ("script", "executable")


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    session = lambent.Session()
    session.eval("""
    (define (found p text)
      (let ((m (regexp-search (pregexp p) text)))
        (if m (list (regexp-match-submatch-start m 0) (regexp-match->list m)) '())))
    (define (sre-found sre text)
      (let ((m (regexp-search sre text)))
        (if m (list (regexp-match-submatch-start m 0) (regexp-match->list m)) '())))
    (define (starts p text)
      (let ((add (lambda (i m s r) (cons (regexp-match-submatch-start m 0) r))))
        (reverse (regexp-fold (pregexp p) add '() text))))
    (define (replaced p text new) (regexp-replace-all (pregexp p) text new))
    (define (parts p text) (regexp-split (pregexp p) text))
    (define (fits p text) (regexp-matches? (pregexp p) text))
    (define (sre-of x)
      (cond ((string? x) x)
            ((and (pair? x) (string? (car x)) (string=? (car x) "set")) (list (cadr x)))
            ((pair? x) (cons (string->symbol (car x)) (map sre-of (cdr x))))
            (else x)))
    """)
    return session


# The syntax that both have, with the same meaning.  Nested repetitions are rare, so that searches
# are short.
ATOMS = ["a", "b", "é", "漢", "😀", ".", "[ab]", "[^aé]", r"\d", r"\w", "[a-c]", r"\b", "^", "$"]
TIMES = ["*", "+", "?", "*?", "{1,2}"]
TEXTS = st.text("aAbBéÉ漢😀1 _", max_size=14)


def repeated(pattern: str, times: str) -> str:
    return f"(?:{pattern}){times}"


PATTERNS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("({})".format, inner),
        st.builds(repeated, st.sampled_from(ATOMS), st.sampled_from(TIMES)),
        st.builds("(?={})".format, inner),
        st.builds("(?!{})".format, inner),
        st.builds("(?i:{})".format, inner),
    ),
    max_leaves=6,
)
EXAMPLES = settings(deadline=None, max_examples=100, database=None)


@EXAMPLES
@given(PATTERNS, TEXTS)
def test_patterns_agree_with_python(session: lambent.Session, pattern: str, text: str) -> None:
    match = re.search(pattern, text)
    expected = [match.start(), [match[0], *match.groups()]] if match else []
    found = session.eval("found")(pattern, text)
    assert [*found] == [] if not match else _plain(found) == expected
    assert bool(session.eval("fits")(pattern, text)) == bool(re.fullmatch(pattern, text))
    starts = [m.start() for m in re.finditer(pattern, text)]
    assert list(session.eval("starts")(pattern, text)) == starts
    assert session.eval("replaced")(pattern, text, "-") == re.sub(pattern, "-", text)


def _plain(found: object) -> list[object]:
    """False stands for a group that has not taken part."""
    start, groups = found  # type: ignore[misc]
    return [start, [None if group is False else group for group in groups]]


# SREs as lists, and the same as patterns of Python's.
def _bracketed(chars: str) -> tuple[list[str], str]:
    return ["set", chars], "[" + re.escape(chars) + "]"


def _joined(name: str, before: str, between: str, after: str):  # type: ignore[no-untyped-def]
    def join(parts: list[tuple[object, str]]) -> tuple[list[object], str]:
        texts = between.join(text for _, text in parts)
        return [name, *(sre for sre, _ in parts)], f"{before}{texts}{after}"

    return join


SRES = st.recursive(
    st.one_of(
        st.text("aéA.*\\[]漢", min_size=1, max_size=3).map(lambda text: (text, re.escape(text))),
        st.text("aéA-]^\\漢", min_size=1, max_size=3).map(_bracketed),
    ),
    lambda inner: st.one_of(
        *(st.lists(inner, min_size=1, max_size=3).map(_joined(*row)) for row in (
            (":", "(?:", "", ")"), ("or", "(?:", "|", ")"), ("$", "(", "", ")"),
            ("?", "(?:", "", ")?"), ("w/nocase", "(?i:", "", ")"), ("look-ahead", "(?=", "", ")"),
            ("neg-look-ahead", "(?!", "", ")"), ("w/nocapture", "(?:", "", ")"),
        )),
    ),
    max_leaves=6,
)


@EXAMPLES
@given(SRES, st.text("aéAÉ.*\\[]-^漢", max_size=8))
def test_sres_agree_with_python(
    session: lambent.Session, sre: tuple[object, str], text: str
) -> None:
    lisp, pattern = sre
    match = re.search(pattern, text)
    found = session.eval("(lambda (x text) (sre-found (sre-of x) text))")(lisp, text)
    if "w/nocapture" in str(lisp):
        assert bool([*found]) == bool(match)
    elif match:
        assert _plain(found) == [match.start(), [match[0], *match.groups()]]
    else:
        assert [*found] == []


# Letters, controls, marks, joiners, parts of Hangul syllables, flags, pictures.
GRAPHEMES = [
    0x61, 0xD, 0xA, 0x300, 0x200D, 0x200C, 0x903, 0x600, 0x1100, 0x1161, 0x11A8, 0xAC00, 0xAC01,
    0x1F1E6, 0x1F600, 0x1F3FB, 0xAD, 0x200B, 0xE33, 0x2764, 0xFE0F, 0xE0061, 0x2028, 0, 0xD4E,
    0x102B,
]


@EXAMPLES
@given(st.lists(st.sampled_from(GRAPHEMES), max_size=8))
def test_graphemes_agree_with_the_package_regex(
    session: lambent.Session, codes: list[int]
) -> None:
    regex = pytest.importorskip("regex")
    text = "".join(map(chr, codes))
    clusters = list(session.eval("(lambda (text) (regexp-extract 'grapheme text))")(text))
    assert clusters == regex.findall(r"\X", text)
    starts = session.eval("(lambda (text) (regexp-replace-all 'bog text \"|\"))")(text)
    ends = session.eval("(lambda (text) (regexp-replace-all 'eog text \"|\"))")(text)
    assert starts == "".join([f"|{cluster}" for cluster in clusters])
    assert ends == "".join([f"{cluster}|" for cluster in clusters])


# What they cost.

COUNTED = r"""
(define (text n) (apply string-append (map (lambda (k) "λx1 ") (iota n))))
(define (seconds thunk)
  (let ((start (current-jiffy)))
    (thunk)
    (max 0.02 (/ (- (current-jiffy) start) (jiffies-per-second) 1.0))))
(define (growth n use)
  (let* ((short (text n)) (long (text (* 8 n))))
    (let again ((left 6) (least #f) (least-long #f))
      (if (or (= left 0) (and least (<= (/ least-long least) 30)))
          (print (<= (/ least-long least) 30))
          (let ((a (seconds (lambda () (use short)))) (b (seconds (lambda () (use long)))))
            (again (- left 1) (if least (min least a) a) (if least-long (min least-long b) b)))))))
(growth 3000 (lambda (text) (regexp-extract '(+ num) text)))
(growth 3000 (lambda (text) (regexp-replace-all 'num text "-")))
(growth 3000 (lambda (text) (regexp-split " " text)))
(growth 30000 (lambda (text) (regexp-search (pregexp "z+\\d") text)))
"""


def outcome(back_end: str, text: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    command = command_of(text, back_end, folder)
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_all_matches_of_a_text_take_linear_time(back_end: str, tmp_path: Path) -> None:
    done = outcome(back_end, COUNTED, tmp_path)
    assert (done.stdout, done.stderr) == ("#t\n" * 4, "")


ROUNDS = r"""
(define (memory)
  (call-with-input-file "/proc/self/statm"
    (lambda (port) (read port) (read port))))
(define (rounds from to)
  (do ((k from (+ k 1))) ((= k to))
    (regexp-search (pregexp (string "(a|b" k ")+")) "xxaé")
    (regexp-replace-all (list ': "a" (number->string k)) "a7é" "-")))
(rounds 0 1000)
(define before (memory))
(rounds 1000 10000)
(print (< (- (memory) before) 2000))
"""


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_regexps_are_freed(back_end: str, tmp_path: Path) -> None:
    """10,000 different ones; a page is 4 KB, and each takes several with its compiled code."""
    done = outcome(back_end, ROUNDS, tmp_path)
    assert (done.stdout, done.stderr) == ("#t\n", "")


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_ctrl_c_ends_a_search(back_end: str, tmp_path: Path) -> None:
    """One that tries each start of a text, with the rest of it."""
    text = """
    (define text (make-string 1000000 #\\a))
    (display "go") (flush-output-port)
    (regexp-search (pregexp "(?=a*[bc])a") text)
    """
    command = command_of(text, back_end, tmp_path)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.read(2) == b"go"
        time.sleep(0.5)
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        assert running.returncode == 130
        assert time.monotonic() - began < 10


# A machine without PCRE2.

NO_PCRE2 = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *dlopen(const char *name, int flags) {
    void *(*usual)(const char *, int);
    *(void **)&usual = dlsym(RTLD_NEXT, "dlopen");
    return name != NULL && strstr(name, "pcre2") != NULL ? NULL : usual(name, flags);
}
"""
USES = r"""
(print "first")
(guard (e (#t (print (error-object-message e)))) (regexp-search '(+ num) "a1"))
(print (valid-sre? '(+ num)))
(regexp-split (pregexp ",") "a,b")
"""


@pytest.fixture(scope="module")
def without_pcre2(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process to which the library is not installed."""
    folder = tmp_path_factory.mktemp("without")
    (folder / "no_pcre2.c").write_text(NO_PCRE2)
    library = folder / "no_pcre2.so"
    command = ["gcc", "-shared", "-fPIC", str(folder / "no_pcre2.c"), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True)
    return {**os.environ, "LD_PRELOAD": str(library)}


@pytest.mark.parametrize("native", ["on", "off"])
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_machine_without_pcre2(
    back_end: str, native: str, tmp_path: Path, without_pcre2: dict[str, str]
) -> None:
    command = command_of(USES, back_end, tmp_path)
    environment = without_pcre2 | {"LAMBENT_NATIVE": native}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    missing = "regular expressions need the library PCRE2, which is not installed"
    assert done.stdout == f"first\nregexp-search: {missing}\n#f\n"
    first, *_, last = done.stderr.splitlines()
    assert first.endswith(f": pregexp: {missing}")
    assert last == "hint: sudo apt-get install libpcre2-8-0"
    assert "Traceback" not in done.stderr
    assert done.returncode == 70
