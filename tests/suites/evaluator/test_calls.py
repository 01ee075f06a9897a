"""What calls between code, compiled procedures and the trampoline must keep."""

import subprocess
import sys
from pathlib import Path

import pytest

from lambent.lang.evaluator.run_code import ProgramCode, code_of_program
from tests.support.evaluator_programs import evaluator

# (program, what it prints)
_PROGRAMS = [
    # Tail calls of each kind take no stack: of a function, of a value, of code by the library.
    ("(define (even n) (if (= n 0) #t (odd (- n 1))))"
     " (define (odd n) (if (= n 0) #f (even (- n 1)))) (print (even 1000001))", "#f"),
    ("(define (run f n) (if (= n 0) 'end (f f (- n 1)))) (print (run run 1000000))", "end"),
    ("(define (step n) (if (= n 0) 'end (apply step (list (- n 1)))))"
     " (print (step 1000000))", "end"),
    ("(define (step n) (if (= n 0) 'end (call-with-values (lambda () (- n 1)) step)))"
     " (print (step 1000000))", "end"),
    # A procedure that borrows its parameter frees it at its end, also after a tail call.
    ("(define (f x) (if (pair? x) (g (car x)) 0)) (define (g y) (+ y 1))"
     " (print (map f (list (list 1) (list 2))))", "(2 3)"),
    # Deep recursion of code, and of code through the library.
    ("(define (count n) (if (= n 0) 0 (+ 1 (count (- n 1))))) (print (count 1000000))", "1000000"),
    ("(define (deep n) (if (= n 0) 0 (+ 1 (fold (lambda (x a) (deep (- n 1))) 0 '(1)))))"
     " (print (deep 20000))", "20000"),
    # Too deep, and after it.
    ("(define (endless n) (+ 1 (endless n))) (print (guard (e (#t (error-object-message e)))"
     " (endless 1))) (print 1)", "recursion is too deep\n1"),
    # Wrong calls of code as a value.
    ("(define f (list (lambda (x y) x))) (print (guard (e (#t (error-object-message e)))"
     " ((car f) 1)))", "lambda: expected 2 arguments, got 1"),
    # A redefinition in the middle of what uses the variable.
    ("(define x (list 1 2)) (define (get) x) (define y (get)) (set! x 3)"
     " (print y (get))", "(1 2) 3"),
    # More arguments than a C function has, and than a frame has registers before.
    ("(print (apply + (iota 100000)))", "4999950000"),
    (f"(print (length (list {' '.join(map(str, range(3000)))})))", "3000"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "printed"), _PROGRAMS)
def test_program(text: str, printed: str, tmp_path: Path) -> None:
    done = _run(text, tmp_path)
    assert (done.stdout, done.returncode) == (printed + "\n", 0), done.stderr
    assert done.stderr == "live handles: 0, live objects: 0\n"


def test_trace_is_that_of_executables(tmp_path: Path) -> None:
    text = "(define (f x) (car x))\n(define (g x) (+ 1 (f x)))\n(print (map g '(1)))"
    done = _run(text, tmp_path)
    assert done.returncode == 70
    assert "car: expected a pair, got 1" in done.stderr
    assert "in f" in done.stderr
    assert "in g" in done.stderr


def test_damaged_files_end_with_one_line(tmp_path: Path) -> None:
    file = tmp_path / "damaged.code"
    file.write_bytes(_code("(print 1)", tmp_path).data[:200])
    command = [str(evaluator(False)), sys.executable, str(file), "program"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 70
    assert done.stderr == "lambent: cannot run the code: the file is incomplete\n"


def _code(text: str, folder: Path) -> ProgramCode:
    path = folder / "program.lisp"
    path.write_text(text)
    return code_of_program(text, str(path))


def _run(text: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    file = folder / "program.code"
    code = _code(text, folder)
    file.write_bytes(code.data)
    return subprocess.run(
        [evaluator(code.tensors), sys.executable, file, "program.lisp"],
        capture_output=True, text=True, env={"LAMBENT_CHECK_LEAKS": "1"}, timeout=300,
    )  # fmt: skip
