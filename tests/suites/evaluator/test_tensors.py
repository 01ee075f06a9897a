"""Programs with tensors as code: what they print, and that no tensor lives at their end."""

import sys
from pathlib import Path

import pytest

from lambent.lang.evaluator.run_code import code_of_program
from tests.support.evaluator_programs import evaluator
from tests.support.programs_run import run

_CAUGHT = "(guard (e (#t (error-object-message e))) {})"

# (program, what it prints)
_PROGRAMS = [
    # Operators by their names, as values, and one that LibTorch lacks.
    ("(print (tensor->list (tensor-exp (tensor-zeros 2))))", "(1.0 1.0)"),
    ("(print (map tensor-item (map tensor-neg (list [1] [2]))))", "(-1 -2)"),
    ("(print (tensor->list (apply tensor-cat (list (list [1] [2])))))", "(1 2)"),
    # Where a tensor is expected, any value may come; what is held is freed.
    ("(define (rank x) (let ((y (tensor-ones 3))) (+ (tensor-rank x) (tensor-rank y))))"
     f" (print (rank [1 2]) {_CAUGHT.format('(rank 5)')})",
     "2 tensor-rank: expected a tensor, got 5"),
    ("(define (f x) (let ((y (tensor-ones 3))) (list (tensor-ref x 0) y)))"
     f" (print {_CAUGHT.format('(f (quote a))')})", "tensor-ref: expected a tensor, got a"),
    # An error leaves recording as it was before.
    ("(define (f x) (no-grad (car x)))"
     f" (print {_CAUGHT.format('(f 1)')} (grad-enabled?))", "car: expected a pair, got 1 #t"),
    # Literals: constants, variables, and many elements.
    ("(define x 3) (print (tensor->list [[1 x] [x 2]]))", "((1 3) (3 2))"),
    (f"(print (tensor-item (tensor-sum [{' '.join(map(str, range(5000)))}])))", "12497500"),
    # A tensor of truth values counts by its element in a test.
    ("(define (f x) (if x 1 2)) (print (f [0]) (f (tensor-gt [0] 1)) (f (tensor-gt [2] 1)))",
     "1 2 1"),
    (f"(define (f x) (if x 1 2)) (print {_CAUGHT.format('(f (tensor-gt [1 2] 1))')})",
     "a bool tensor of shape (2) has no single truth value"),
    ("(define (g x) (let ((n (not x))) (if n 'yes 'no)))"
     " (print (g (tensor-gt [0] 1)) (g (tensor-gt [2] 1)) (g #f))", "yes no yes"),
    ("(define (g x) (let ((n (not x))) (if n 'yes 'no)))"
     f" (print {_CAUGHT.format('(g (tensor-gt [0 2] 1))')})",
     "a bool tensor of shape (2) has no single truth value"),
    # Arithmetic in loops, and in procedures that the library calls.
    ("(define x (tensor-zeros 2)) (dotimes (i 1000) (set! x (+ x 1)))"
     " (print (tensor->list x))", "(1000.0 1000.0)"),
    ("(print (tensor->list (fold (lambda (x sum) (+ sum (* x x))) [0 0] (list [1 2] [3 4]))))",
     "(10 20)"),
    # Gradients, also through a procedure of the program's.
    ("(define w (requires-grad! [1.0 2.0])) (backward (tensor-sum (* w w)))"
     " (print (tensor->list (tensor-grad w)))", "(2.0 4.0)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "printed"), _PROGRAMS)
def test_program(text: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMBENT_VERIFY", "1")
    (tmp_path / "program.lisp").write_text(text)
    code = code_of_program(text, str(tmp_path / "program.lisp"))
    (tmp_path / "program.code").write_bytes(code.data)
    outcome = run([str(evaluator(True)), sys.executable, "program.code", "program.lisp"], tmp_path)
    assert (outcome.output, outcome.errors, outcome.status) == (printed + "\n", "", 0)
    assert code.tensors
    assert outcome.leaks == ""
