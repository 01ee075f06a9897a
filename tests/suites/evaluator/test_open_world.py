"""Programs that evaluate data: variables that other code defines, units that are freed, and the
process that analyses."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.stress.interrupts import HELD

_COMMAND = [*HELD, sys.executable, "-m", "lambent.lang"]
_FREED = "live handles: 0, live objects: 0\n"
_CAUGHT = "(guard (e (#t (error-object-message e))) {})"

# (program, what it prints)
_PROGRAMS = [
    # Definitions may come later, and again, and are seen by procedures that are there already.
    ("(define (f) (later)) (eval '(define (later) 'one)) (define old later)"
     " (eval '(define (later) 'two)) (print (f) (old))", "two one"),
    (f"(define (f) there) (print {_CAUGHT.format('(f)')}) (eval '(define there 3)) (print (f))",
     "unbound variable: there\n3"),
    (f"(print {_CAUGHT.format(chr(40) + 'set! nowhere 1)')}) (print (eval ''x))",
     "unbound variable: nowhere\nx"),
    # What a primitive of the language is called may be defined anew.
    ("(eval '(define (car x) 'mine)) (print (eval '(car 1)) (car '(2)))", "mine 2"),
    # Procedures outlive the code that made them, with its constants and the variables in it.
    ("(define (make n) (eval `(let ((s '(a \"b\" 1.5))) (lambda (x) (list x ,n s)))))"
     " (define fs (map make (iota 40))) (print ((car fs) 0)) (print ((list-ref fs 39) 1))",
     "(0 0 (a b 1.5))\n(1 39 (a b 1.5))"),
    ("(define f (eval '(lambda () (lambda () 'inner)))) (define g (f)) (set! f 0) (print (g))",
     "inner"),
    ("(print (((eval '(lambda (x) (lambda () (list x \"text\")))) 1)))", "(1 text)"),
    ("(define x (eval ''(1 (2) #(3 \"four\")))) (print x (eq? x x))", "(1 (2) #(3 four)) #t"),
    # A procedure is one object wherever it is held.
    ("(eval '(define (f) 1)) (print (eq? (eval 'f) f) (eval '(eq? f f)))", "#t #t"),
    # What cannot be written stands in the code as it is.
    ("(define p (make-parameter 3)) (print (eval (list p)) (eval (list 'eq? p 'p)))", "3 #t"),
    ("(define f (eval (list 'lambda '(x) (list (lambda (y) (* y 2)) 'x)))) (print (f 21))", "42"),
    # Many units, of which few live.
    ("(define (sum n) (if (= n 0) 0 (+ (eval (list '+ n 1)) (sum (- n 1))))) (print (sum 100))",
     "5150"),
    # A failure frees the procedures and the constants that its code holds.
    (f"(print {_CAUGHT.format(chr(40) + 'eval (quote (raise (lambda () 1))))')})".replace(
        "(error-object-message e)", "(procedure? e)"), "#t"),
    ("(define (f x) (eval `(list '(1 \"s\") (lambda () 2) (car ,x))))"
     f" (print {_CAUGHT.format('(f 5)')})", "car: expected a pair, got 5"),
    # Escapes and handlers go through.
    ("(print (call/cc (lambda (k) (eval (list 'begin (list k ''out) 1)))))", "out"),
    ("(print (with-exception-handler (lambda (e) 10)"
     " (lambda () (eval '(+ 1 (raise-continuable 'x))))))", "11"),
    ("(define p (make-parameter 1)) (print (parameterize ((p 2)) (eval '(p))) (p))", "2 1"),
    # Tensors come when they are needed.
    ("(print 'before) (print (eval '(tensor->list (tensor-exp (tensor-zeros 2)))))",
     "before\n(1.0 1.0)"),
    # Constants of the library that an earlier unit has needed.
    ("(import (srfi 132)) (define (least) (eval '(let ((v (vector 3 1 2)))"
     " (vector-separate! < v 1) (vector-ref v 0)))) (print (least) (least))", "1 1"),
    # Text in which a NUL or another character stands.
    ("(print (string-length (eval (list 'string-append (string #\\null #\\x3bb) \"x\"))))", "3"),
]  # fmt: skip


def _run(text: str, folder: Path) -> tuple[str, str, int]:
    (folder / "program.lisp").write_text(text)
    done = subprocess.run(
        [*_COMMAND, "program.lisp"], cwd=folder, capture_output=True, text=True, timeout=300,
        env={**os.environ, "LAMBENT_MACHINE": "1", "LAMBENT_CHECK_LEAKS": "1",
             "LAMBENT_VERIFY": "1"},
    )  # fmt: skip
    return done.stdout, done.stderr, done.returncode


@pytest.mark.parametrize(("text", "printed"), _PROGRAMS)
def test_program(text: str, printed: str, tmp_path: Path) -> None:
    assert _run(text, tmp_path) == (printed + "\n", _FREED, 0)


def test_memory_stays_flat(tmp_path: Path) -> None:
    """A thousand units of code are freed with their closures."""
    text = (
        "(define (peak) (let ((line (find (lambda (l) (string-prefix? \"VmRSS\" l))"
        " (call-with-input-file \"/proc/self/status\" (lambda (p)"
        " (let loop ((l (read-line p)) (all '())) (if (eof-object? l) all"
        " (loop (read-line p) (cons l all)))))))))"
        " (string->number (cadr (reverse (string-split line \" \"))))))\n"
        "(define (go n) (if (> n 0) (begin (eval `(list (lambda (x) (* x ,n)) '(1 2 ,n) \"s\"))"
        " (go (- n 1)))))\n"
        "(go 300) (define first (peak)) (go 1000) (define last (peak))\n"
        "(print (if (< (- last first) 1500) 'flat (list first last)))"
    )
    assert _run(text, tmp_path) == ("flat\n", _FREED, 0)


def _start(text: str, folder: Path) -> "subprocess.Popen[str]":
    (folder / "program.lisp").write_text(text)
    return subprocess.Popen(
        [*_COMMAND, "program.lisp"], cwd=folder, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "LAMBENT_MACHINE": "1", "LAMBENT_CHECK_LEAKS": "1"},
    )  # fmt: skip


def children_of(process: int) -> list[int]:
    return [
        int(word)
        for task in Path(f"/proc/{process}/task").iterdir()
        for word in (task / "children").read_text().split()
    ]


def wait_until_gone(process: int) -> None:
    for _ in range(200):
        status = Path(f"/proc/{process}/stat")
        if not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return
        time.sleep(0.05)
    raise AssertionError(process)


def test_the_other_process_may_end(tmp_path: Path) -> None:
    text = (
        "(define (try) (guard (e (#t (print (error-object-message e)))) (print (eval 1))))"
        " (try) (flush-output) (read-line) (try) (try)"
    )
    running = _start(text, tmp_path)
    assert running.stdout is not None
    assert running.stdout.readline() == "1\n"
    (child,) = children_of(running.pid)
    os.kill(child, signal.SIGKILL)
    wait_until_gone(child)
    output, errors = running.communicate("\n", timeout=60)
    said = "the process that analyses programs has ended\n"
    assert (output, errors, running.returncode) == (2 * said, _FREED, 0)


def test_it_ends_with_the_program(tmp_path: Path) -> None:
    running = _start("(print (eval 1)) (flush-output) (read-line)", tmp_path)
    assert running.stdout is not None
    assert running.stdout.readline() == "1\n"
    (child,) = children_of(running.pid)
    running.kill()
    running.communicate(timeout=60)
    wait_until_gone(child)


@pytest.mark.parametrize("form", [
    "(let loop () (loop))",
    "(begin (defmacro forever () (let loop () (loop))) (forever))",
])  # fmt: skip
def test_ctrl_c(form: str, tmp_path: Path) -> None:
    text = (
        "(eval 1) (dynamic-wind list (lambda () (print 1) (flush-output)"
        f" (eval '{form})) (lambda () (print 2) (print (eval 3))))"
    )
    running = _start(text, tmp_path)
    assert running.stdout is not None
    assert running.stdout.readline() == "1\n"
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=120)
    assert (output, errors, running.returncode) == ("2\n3\n", _FREED, 130)


@pytest.mark.parametrize("wait", [0.02, 0.1, 0.3])
def test_ctrl_c_while_the_other_process_starts(wait: float, tmp_path: Path) -> None:
    text = (
        "(dynamic-wind list (lambda () (print 1) (flush-output) (eval '(let loop () (loop))))"
        " (lambda () (print 2)))"
    )
    running = _start(text, tmp_path)
    assert running.stdout is not None
    assert running.stdout.readline() == "1\n"
    time.sleep(wait)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=120)
    assert (output, errors, running.returncode) == ("2\n", _FREED, 130)


def test_macros_print_in_order(tmp_path: Path) -> None:
    text = (
        "(print 1) (eval '(begin (defmacro m () (print 2) (flush-output) 3) (print (m)))) (print 4)"
    )
    assert _run(text, tmp_path)[0] == "1\n2\n3\n4\n"
