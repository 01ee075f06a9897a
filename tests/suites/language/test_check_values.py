"""The checks of operators, values and shapes report what is certain to fail, and nothing else.

The test for false alarms puts an exit with a special status after each call that a check reports.
A program that ends with that status has run the call without an error.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.ctorch import cached_calls
from lambent.lang.core.check.call_evaluator import Fault
from lambent.lang.core.check.check import check
from lambent.lang.core.check.diagnostic import Diagnostic
from lambent.lang.core.check.values import check_values
from lambent.lang.core.forms.evaluation import evaluator_use
from lambent.lang.core.traverse import walk
from lambent.lang.deep import call_deep
from lambent.lang.errors import LispError
from lambent.lang.interp import meta_calls
from lambent.lang.passes import call_evaluator
from lambent.lang.pipeline import program_of
from lambent.lang.syntax.source import Source
from tests.support.paths import ROOT
from tests.support.random_programs.random_sources import random_source

PASSED = 99  # the status of a program that has passed a call with a warning


def faults(text: str, name: str = "t.lisp") -> list[Diagnostic]:
    program = program_of(Source(name, text))
    nodes = [node for form in program.forms for node in walk(form)]
    settled = evaluator_use(program) is None
    return call_deep(check_values, nodes, program.forms, call_evaluator(), settled)


SAID = [
    ("(define (f x) (tensor-frob x))", "unknown operator: tensor-frob"),
    ("(define (f l) (map tensor-frobb l))", "unknown operator: tensor-frobb"),
    ("(define (f x) (tensor-sum x :dimm 0))", "tensor-sum: unknown keyword :dimm"),
    ("(define (f x) (tensor-relu x 1 2))", "tensor-relu: expected 1 argument, got 3"),
    ("(define (f) (tensor-relu))", "tensor-relu: expected 1 argument, got 0"),
    ("(define (f x) (tensor-sum x :dim))", "keyword :dim has no value"),
    ('(define (f x) (tensor-softmax x "a"))',
     'tensor-softmax: expected an exact integer for dim, got "a"'),
    ("(tensor-relu 5)", "tensor-relu: expected a tensor, got 5"),
    ("(tensor-ref [1 2 3] 3)", "tensor-ref: index 3 is out of range for dim 0 of size 3"),
    ("(define a [[1 2] [3 4]]) (define (f) (tensor-ref a 0 -3))", "index -3 is out of range"),
    ("(@ [[1 2]] [[1 2]])", "tensor-matmul: inner sizes differ: (1 2) times (1 2)"),
    ("(define a (tensor-ones 2 3)) (define (f) (@ a a))", "inner sizes differ: (2 3) times (2 3)"),
    ("(define (f) (let ((a (tensor-randn 2 3))) (+ a (tensor-zeros 2 4))))", "do not broadcast"),
    ("(define w (requires-grad! (tensor-randn 4 5))) (define (f) (@ (tensor-ones 2 3) w))",
     "inner sizes differ: (2 3) times (4 5)"),
    ("(tensor-cat (list (tensor-ones 2 3) (tensor-ones 2 4)) 0)", "sizes differ outside dim 0"),
    ("(tensor-view (tensor-zeros 3 4) 5 5)", "12 elements do not fit shape (5 5)"),
    ("(tensor-sum (tensor-exp (tensor-transpose (tensor-ones 2 3) 0 1)) 2)", "out of range"),
    ("(tensor '((1 2) (3)))", "tensor: "),
    ("(car 5)", "car: expected a pair, got 5"),
    ("(vector-ref (vector 1 2) 2)", "vector-ref: index 2 is out of range for length 2"),
    ('(+ 1 "a")', '+: expected a number, got "a"'),
    ("(define n 3) (car n)", "car: expected a pair, got 3"),
    ("(define n 3) (define m 4) (if (> m (random 2)) (car n))", "car: expected a pair, got 3"),
    ("(define debug #t) (if debug (car 3))", "car: expected a pair, got 3"),
    ("(define n 3) (if (> n 2) (car n))", "car: expected a pair, got 3"),
    ("(define (f x) (guard (e (#f 1)) (tensor-sum x :dimm 0)))", "unknown keyword :dimm"),
    # Procedures of Scheme that are refused, whatever the arguments are.
    ("(define (f x) (string-set! x 0 #\\a))", "string-set!: strings are immutable"),
    ("(define (f x) (string-fill! x #\\a 1))", "string-fill!: strings are immutable"),
    ("(define (f x) (string-copy! x 0 \"abc\"))", "string-copy!: strings are immutable"),
    # Procedures of the library that certain arguments make fail.
    ("(define (f x) (make-rectangular x 2))",
     "make-rectangular: complex numbers are not supported"),
    ("(make-rectangular 1 0.0)", "make-rectangular: complex numbers are not supported"),
    ("(define (f x) (make-polar x 1.5))", "make-polar: complex numbers are not supported"),
    ("(define n 2) (define (f x) (make-rectangular x n))", "complex numbers are not supported"),
    ("(imag-part 'a)", "imag-part: expected a number, got a"),
]


@pytest.mark.parametrize(("text", "message"), SAID)
def test_certain_errors_are_reported(text: str, message: str) -> None:
    found = faults(text)
    assert [message in d.message for d in found] == [True], [str(d) for d in found]


def test_warning_equals_the_error_at_run_time() -> None:
    """With its procedures called, each program fails with that message."""
    calls = {"(f x)": "(f [[1.0 2.0]])", "(f l)": "(f (list [1.0]))", "(f)": "(f)"}
    bodies = [
        text + next((call for head, call in calls.items() if f"(define {head}" in text), "")
        for text, _ in SAID
    ]
    message = "(guard (e (#t (error-object-message e))) (let () {}))"
    done = run("".join(f"(print {message.format(body)})\n" for body in bodies))
    for said, (text, expected) in zip(done.stdout.splitlines(), SAID, strict=True):
        assert expected in said, text


QUIET = [
    "(define (f x d) (tensor-sum x d :keepdim #t))",
    "(define (f x k v) (tensor-relu x k v)) (define o (tensor-ones 2)) (f [1 2] :out o)",
    "(define a (tensor-ones 2 3)) (tensor-t! a) (print (@ (tensor-ones 2 3) a))",
    "(define a (tensor-ones 2 3)) (set! a (tensor-ones 3 2)) (print (@ (tensor-ones 2 3) a))",
    "(define a (tensor-ones 1)) (tensor-add [1 2] [1 2] :out a) (print (+ a [1 2 3]))",
    "(define l (list 1)) (set-cdr! l (list 2)) (print (cadr l))",
    "(define v (vector 1)) (define (f) (vector-ref v 0))",
    "(define (f x) (tensor-sum :axis 0 :input x))",
    "(define a 5) (define (f) (car a)) (load \"other.lisp\")",
    "(print (tensor-item (tensor-sum [1 2])))",
    "(define (f x y) (tensor-topk x 2 :out (list y y)))",
    "(define (f y) (tensor-zeros 2 :dtype 'float32 :device \"cpu\" :out y))",
    "(define (f y d) (tensor-zeros 2 :dtype d :out y))",
    "(print (tensor-embedding (tensor-ones 3 2) [0 2]))",
    "(print (tensor-linalg-cholesky [[1.0 0.0] [0.0 1.0]]))",
    "(print (if (tensor-any [0 1]) 1 2) (= [1] 1) (tensor->list [1 2]))",
    # Calls that a test prevents, or whose error a guard catches.
    "(define n 0) (print (if (= n 0) 'none (/ 10 n)))",
    "(define n 0) (define (none?) (= n 0)) (print (if (none?) 'none (/ 10 n)))",
    "(define l '()) (print (if (null? l) 'empty (car l)) (or (null? l) (car l)))",
    "(define name #f) (print (if name (string-length name) 0) (and name (string-length name)))",
    "(define a (tensor-ones 2 3)) (define k (tensor-dim a)) (if (= k 3) (tensor-sum a :dim 2))",
    "(define-syntax size (syntax-rules () ((_ x) (if (string? x) (string-length x) x)))) (size 5)",
    "(define mode 'fast) (print (cond ((number? mode) (+ mode 1)) (else mode)))",
    "(define l 5) (unless (pair? l) (print 'no) (exit 3)) (print (car l))",
    "(define (f) (let/cc return (let ((k 5)) (unless (pair? k) (return 7)) (car k)))) (f)",
    "(print (guard (e (#t 'caught)) (car '())))",
    "(print (make-rectangular 3 0) (make-polar 2 0) (real-part 5))",
    "(define (f x y) (make-rectangular x y)) (define n 0) (print (f 1 0) (make-rectangular 1 n))",
    "(define n 2) (set! n 0) (print (make-rectangular 1 n))",
    "(define n 2) (print (if (= n 0) (make-rectangular 1 n) n))",
    "(print (guard (e (#t 'caught)) (make-rectangular 1 2)))",
    "(print (guard (e (#t 'caught)) (string-set! (string #\\a) 0 #\\b)))",
    "(define (make-rectangular x y) (list x y)) (print (make-rectangular 1 2))",
    "(define (string-set! s k c) (list s k c)) (print (string-set! 1 2 3))",
    "(print (eqv? \"a\" \"a\") (string 1 #\\a))",
    "(let/cc k (with-exception-handler (lambda (e) (k 1)) (lambda () (vector-ref (vector) 0))))",
]


@pytest.mark.parametrize("text", QUIET)
def test_nothing_else_is_reported(text: str) -> None:
    assert [str(d) for d in faults(text)] == []


def test_check_and_compile_print_the_warning(tmp_path: Path) -> None:
    (tmp_path / "a.lisp").write_text("(define (f x) (tensor-sum x :dimm 0))\n")
    for words in (["check", "a.lisp"], ["compile", "a.lisp", "--emit-c", "-o", "a.c"]):
        done = subprocess.run([sys.executable, "-m", "lambent.lang", *words], cwd=tmp_path,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0
        assert "warning: a.lisp:1:15: tensor-sum: unknown keyword :dimm" in done.stderr


# No false alarms.


def test_a_call_that_fits_is_bound_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "(define (f x) (tensor-reshape x '(-1 3)) (tensor-softmax x \"a\"))"
    monkeypatch.setattr(cached_calls, "_path", lambda: tmp_path / "calls")
    bound = _bound_calls(monkeypatch)
    for expected in (["tensor-reshape", "tensor-softmax"], ["tensor-softmax"]):
        cached_calls.fitting_calls.cache_clear()  # as in the next process
        bound.clear()
        assert [fault.message.split(":")[0] for fault in faults(text)] == ["tensor-softmax"]
        assert bound == expected
    cached_calls.fitting_calls.cache_clear()
    assert (tmp_path / "calls").read_text() == "(tensor-reshape #<unknown> (-1 3))\n"


def _bound_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the operators whose calls are bound from now on."""
    bound: list[str] = []
    attempt = meta_calls._attempt

    def noted(name: str, action: Callable[[], object]) -> Fault | None:
        bound.append(name)
        return attempt(name, action)

    monkeypatch.setattr(meta_calls, "_attempt", noted)
    return bound


def run(text: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lambent.lang", "-"], input=text, cwd=folder, capture_output=True,
        text=True, timeout=600,
    )


def false_alarms(text: str, found: list[Diagnostic], folder: Path) -> list[str]:
    """The warnings about calls that the program has passed."""
    calls = [d for d in found if d.span.source.text == text and d.span.text.startswith("(")]
    if not calls or run(_marked(text, calls), folder).returncode != PASSED:
        return []
    return [str(d) for d in calls if run(_marked(text, [d]), folder).returncode == PASSED]


def _marked(text: str, calls: list[Diagnostic]) -> str:
    marks = [(d.span.start, 1, "(begin ") for d in calls]
    marks += [(d.span.end, 0, f" (emergency-exit {PASSED}))") for d in calls]
    for at, _, mark in sorted(set(marks), reverse=True):
        text = text[:at] + mark + text[at:]
    return text


def programs(all_random: bool) -> list[tuple[str, Path]]:
    """Texts and the folders that they run in; by default those that no other test covers."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = []
    for page in pages:
        blocks = re.findall(r"^```scheme\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
        if page.stem != "reference":
            found.append(("\n".join(blocks), ROOT))
    seeds = range(400 if all_random else 20)
    found += [(random_source(seed, tensors=True), ROOT) for seed in seeds]
    for pattern in ("tests/programs/**/*.lisp", "tests/errors/*.lisp", "examples/*.lisp"):
        files = sorted(ROOT.glob(pattern))
        if not all_random:
            files = [f for f in files if f.stem.startswith(("operators_", "tensor_a", "tensor_s"))]
        found += [(file.read_text(encoding="utf-8"), file.parent) for file in files]
    return found


def test_no_warning_about_calls_that_succeed(all_random: bool) -> None:
    said = 0
    for text, folder in programs(all_random):
        try:
            found = faults(text, str(folder / "program.lisp"))
        except LispError:
            continue  # a text that cannot be read does not run
        said += len(found)
        assert false_alarms(text, found, folder) == []
    assert said > 0


def test_the_library_and_the_examples_are_clean() -> None:
    for file in sorted((ROOT / "examples").glob("*.lisp")):
        program = program_of(Source(str(file), file.read_text(encoding="utf-8")))
        assert check(program, call_evaluator()) == [], file.name
