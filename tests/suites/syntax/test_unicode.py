"""Characters have the same properties in the tables, in both back ends, and in random texts."""

import random
import unicodedata
from collections.abc import Iterator

import pytest

from lambent.lang.interp.values import unicode
from lambent.lang.syntax.text import string_text
from tests.stress.characters import unicode_tables
from tests.support.paths import ROOT
from tests.support.programs_run import ProgramRunner

SAME_EDITION = pytest.mark.skipif(
    unicodedata.unidata_version != unicode_tables.EDITION,
    reason="this Python has another edition of Unicode",
)
END_OF_LETTERS = 0x33000  # beyond it no letter has been assigned
RANDOM_TEXTS = 400


@SAME_EDITION
def test_the_tables_are_current() -> None:
    header = (ROOT / "runtime/text/unicode_tables.h").read_text()
    assert header == unicode_tables.header()
    made = unicode_tables.tables()
    assert {name: unicode.table(name) for name in made} == made


@SAME_EDITION
def test_the_tables_say_what_python_says() -> None:
    for char in map(chr, [*range(0xD800), *range(0xE000, END_OF_LETTERS)]):
        assert unicode.is_upper(char) == char.isupper(), char
        assert unicode.is_lower(char) == char.islower(), char
        assert unicode.decimal_value(char) == unicodedata.decimal(char, None), char
        assert unicode.is_alphabetic(char) >= char.isalpha(), char
        assert unicode.upcase_text(char) == char.upper(), char
        assert unicode.downcase_text(char) == char.lower(), char
        assert unicode.foldcase_text(char) == char.casefold(), char


# Executables: sums over all characters, compared with the tables.

SUMS = """
(define (show name test value)
  (let loop ((code 0) (count 0) (sum 0))
    (cond ((= code #x110000) (print name count sum))
          ((<= #xd800 code #xdfff) (loop (+ code 1) count sum))
          (else
           (let ((c (integer->char code)))
             (if (test c)
                 (loop (+ code 1)
                       (+ count 1)
                       (modulo (+ (* 31 sum) (* 7 code) (value c)) 1000000007))
                 (loop (+ code 1) count sum)))))))
(define (one c) 1)
(define (changed f) (lambda (c) (not (char=? c (f c)))))
(define (code-of f) (lambda (c) (char->integer (f c))))
(show "alphabetic" char-alphabetic? one)
(show "upper" char-upper-case? one)
(show "lower" char-lower-case? one)
(show "decimal" char-numeric? one)
(show "upcase" (changed char-upcase) (code-of char-upcase))
(show "downcase" (changed char-downcase) (code-of char-downcase))
(show "foldcase" (changed char-foldcase) (code-of char-foldcase))
(define (longer f) (lambda (c) (> (string-length (f (string c))) 1)))
(define (all-codes f)
  (lambda (c) (apply + (map char->integer (string->list (f (string c)))))))
(show "upcase_expansions" (longer string-upcase) (all-codes string-upcase))
(show "foldcase_expansions" (longer string-foldcase) (all-codes string-foldcase))
(import (srfi 14))
(show "letter" char-set:letter one)
(show "punctuation" char-set:punctuation one)
(show "symbol" char-set:symbol one)
"""


def members(name: str) -> Iterator[tuple[int, int]]:
    """The code points of a table, each with its term of the sum."""
    numbers, width = unicode.table(name), unicode_tables.WIDTHS[name]
    for start in range(0, len(numbers), width):
        row = numbers[start : start + width]
        if name.endswith("expansions"):
            yield row[0], sum(row[1:])
        else:
            first, reach, step, *difference = row
            for code in range(first, first + reach + 1, step):
                yield code, code + difference[0] if difference else 1


def table_sum(name: str) -> str:
    total = count = 0
    for code, value in sorted(members(name)):
        count += 1
        total = (31 * total + 7 * code + value) % 1_000_000_007
    return f"{name} {count} {total}"


def test_executables_have_the_same_tables(runner: ProgramRunner) -> None:
    path = runner.folder / "characters.lisp"
    path.write_text(SUMS)
    outcome = runner.run_executable(path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
    hidden = ("title", "ignorable", "mark", "number")
    names = [name for name in unicode_tables.WIDTHS if name not in hidden]
    assert outcome.output.splitlines() == [table_sum(name) for name in names]


# Random texts, through all procedures on strings.

TEXTS = """
(define (show . results)
  (for-each (lambda (x) (write x) (display " ")) results)
  (newline))
(define (try text other)
  (let* ((n (string-length text)) (middle (quotient n 2)))
    (show text n)
    (show (string-upcase text) (string-downcase text) (string-foldcase text))
    (show (map char-upcase (string->list text)) (map char-downcase (string->list text))
          (map char-foldcase (string->list text)))
    (show (map char-alphabetic? (string->list text)) (map digit-value (string->list text)))
    (show (map char-whitespace? (string->list text)) (string-trim text))
    (show (substring text middle) (substring text 0 middle) (string-copy text middle n))
    (show (string->utf8 text middle) (utf8->string (string->utf8 text)))
    (show (string=? text other) (string<? text other) (string>=? text other))
    (show (string-ci=? text other) (string-ci<? text other))
    (show (string-append text other text) (string-append (substring text 0 middle) other))
    (show (string-contains text other) (string-contains other text)
          (string-contains (string-append text other) other middle))
    (show (string-prefix? (substring text 0 middle) text) (string-suffix? other text))
    (show (string->symbol text) (symbol->string (string->symbol other)))
    (show (string-split (string-append text "," other) ",") (string-join (list text other)))
    (show (string-replace text "a" other) (string-reverse text))
    (show (string->vector text) (vector->string (string->vector text middle)))
    (show (string-pad-left text 5 #\\x3bb) (string-pad-right text 5))
    (show (string-filter char-alphabetic? text) (string-index text char-upper-case?))
    (show (list->string (reverse (string->list text))) (string-map char-upcase text))
    (show (format "~5a|~5s|~a" text other (string-length text)))))
(call-with-input-file "PATH"
  (lambda (port)
    (let loop ((other ""))
      (let ((text (read-line port)))
        (unless (eof-object? text)
          (try text other)
          (loop text))))))
"""


def random_text(rng: random.Random) -> str:
    special = (  # they change, grow, or are equivalent to others
        "ßẞŉǰİıΣσςſﬁﬃǅᾳᾼΐK\u0301\u00ad'’.:\"\\|();,# \t\u00a0\u3000\x01\x7f\uffff\U0010ffff"  # noqa: RUF001
    )
    pools = (
        lambda: rng.choice("abcXYZ019"),
        lambda: rng.choice(special),
        lambda: chr(rng.randrange(0x20, 0x500)),
        lambda: chr(rng.randrange(0x1E00, 0x2200)),
        lambda: chr(rng.choice([rng.randrange(0xE000, 0x20000), rng.randrange(0x20, 0xD800)])),
    )
    pool = rng.choice([pools[:1], pools[:2], pools])
    text = "".join(rng.choice(pool)() for _ in range(rng.randrange(0, 12)))
    return text.replace("\n", "").replace("\r", "")


def test_random_texts(runner: ProgramRunner) -> None:
    rng = random.Random(14)
    texts = [random_text(rng) for _ in range(RANDOM_TEXTS)]
    cases = runner.folder / "texts.txt"
    cases.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8", newline="")
    path = runner.folder / "texts.lisp"
    path.write_text(TEXTS.replace("PATH", str(cases)))
    script, executable = runner.run_script(path), runner.run_executable(path)
    assert (script.errors, script.status) == ("", 0)
    assert (executable.errors, executable.status, executable.leaks) == ("", 0, "")
    for one, other in zip(script.output.split("\n"), executable.output.split("\n"), strict=True):
        assert one == other


# Random bytes, most of which are not UTF-8: Python says where the first error is.

BYTES = """
(define (read-bytes line)
  (apply bytevector (map string->number (string-split line))))
(call-with-input-file "PATH"
  (lambda (port)
    (let loop ()
      (let ((line (read-line port)))
        (unless (eof-object? line)
          (let ((bytes (read-bytes line)))
            (guard (e (#t (print (error-object-message e))))
              (write (utf8->string bytes))
              (newline)))
          (loop))))))
"""


def random_bytes(rng: random.Random) -> bytes:
    data = bytearray(random_text(rng).encode())
    for _ in range(rng.randrange(0, 3)):
        at = rng.randrange(0, len(data) + 1)
        data[at : at + rng.randrange(0, 2)] = bytes([rng.randrange(0x80, 0x100)])
    return bytes(data)


def decoded(data: bytes) -> str:
    try:
        return string_text(data.decode())
    except UnicodeDecodeError as error:
        return f"utf8->string: invalid UTF-8 at index {error.start}"


def test_random_bytes(runner: ProgramRunner) -> None:
    rng = random.Random(8)
    rows = [random_bytes(rng) for _ in range(RANDOM_TEXTS)]
    cases = runner.folder / "bytes.txt"
    cases.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    path = runner.folder / "bytes.lisp"
    path.write_text(BYTES.replace("PATH", str(cases)))
    for run in (runner.run_script, runner.run_executable):
        outcome = run(path)
        assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
        assert outcome.output.split("\n")[:-1] == list(map(decoded, rows))
