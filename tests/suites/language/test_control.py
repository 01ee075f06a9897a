"""Control flow and the process: Ctrl-C, exits, and failures of every operation by injection."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.binaries import build_texts, finish
from tests.support.programs_run import command_of

# The text that the test waits for is printed after the before-thunk, where Ctrl-C is to come.
WAITING = """
(define (wait thunk)
  (dynamic-wind
   (lambda () (print 'in))
   thunk
   (lambda () (print 'out))))
(wait (lambda ()
        (guard (e (#t (print 'never)))
          (print 'waiting) (flush-output)
          (let loop () (loop)))))
"""
# The same while LibTorch calls a custom gradient.
IN_A_GRADIENT = """
(define waiting
  (custom-gradient
   square
   (lambda (g x y) (print 'waiting) (flush-output) (let loop () (loop)))))
(dynamic-wind
 (lambda () (print 'in))
 (lambda ()
   (guard (e (#t (print 'never)))
     (backward (tensor-sum (waiting (requires-grad! [1.0 2.0]))))))
 (lambda () (print (if (grad-enabled?) 'out 'mode))))
"""
# The first Ctrl-C runs the after-thunk, the second one ends the after-thunk, too.
STUBBORN = """
(dynamic-wind
 (lambda () (print 'in))
 (lambda () (print 'waiting) (flush-output) (let loop () (loop)))
 (lambda () (print 'out) (flush-output) (let loop () (loop))))
"""
AT_ONCE = """
(dynamic-wind
 (lambda () (print 'in))
 (lambda () (emergency-exit 3))
 (lambda () (print 'never)))
"""
# Every kind of failure through every kind of frame, while objects of all types are alive.
EVERYTHING = """
(define p (make-parameter (list 1 2) (lambda (x) (cons 'converted x))))
(define (winding name thunk)
  (dynamic-wind
   (lambda () (list 'in name))
   thunk
   (lambda () (display (list 'out name)))))
(define (escape n)
  (call/cc
   (lambda (k)
     (winding n (lambda ()
                  (parameterize ((p (list n)))
                    (list 'never (k (list n (p))))))))))
(define (handled n)
  (with-exception-handler
   (lambda (e) (list 'handled e (p)))
   (lambda () (list n (raise-continuable (list n 'raised))))))
(define (guarded thunk)
  (guard (e ((string? e) (list 'string e))
            ((assq 'a (if (pair? e) e '())) => cdr)
            ((error-object? e) (error-object-message e)))
    (list 'fine (thunk))))
(define (through thunk)
  (guard (e ((symbol? e) (list 'through e)))
    (winding 'through (lambda () (guarded thunk)))))
(define (returning)
  (guard (e (#t (error-object-irritants e)))
    (with-exception-handler
     (lambda (e) (list 'ignored e))
     (lambda () (raise (list "returning" 1))))))
(print (escape 1))
(print (handled 2))
(print (guarded (lambda () (string-append "a" "b"))))
(print (guarded (lambda () (raise (string-append "a" "b")))))
(print (guarded (lambda () (raise (list (cons 'a (list 1)))))))
(print (guarded (lambda () (car (list)))))
(print (guarded (lambda () (error "message" (list 1) "b"))))
(print (through (lambda () (raise 'symbol))))
(print (through (lambda () (escape 3))))
(print (returning))
(call-with-values
 (lambda () (call/cc (lambda (k) (winding 4 (lambda () (k (list 1) "two"))))))
 print)
(define (count n) (guard (e (#t (if (= e 3) (list e) (count (+ e 1))))) (raise n)))
(print (count 0))
(print (winding 5 (lambda () (guarded (lambda () (raise (p)))))))
(winding 6 (lambda () (exit (vector-length (vector 1 2)))))
"""
WITH_TENSORS = """
(define (f x)
  (guard (e ((tensor? e) (tensor-add e x)))
    (no-grad
      (let ((y (tensor-mul x x)))
        (call/cc (lambda (k) (with-grad (raise (tensor-add y 1)) (k y))))))))
(define p (make-parameter (tensor 1.0)))
(print (f (tensor-ones 2)))
(print (guard (e (#t 'caught))
         (parameterize ((p (tensor-ones 2))) (tensor-matmul (p) (tensor 1.0)))))
(print (call/cc (lambda (k) (dynamic-wind list (lambda () (k (tensor-neg (p)))) list))))
"""


def interrupted(command: list[str], texts: list[str]) -> tuple[str, str, int]:
    """Press Ctrl-C after each of the texts that the program prints."""
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    for text in texts:
        assert running.stdout.read(len(text)) == text
        running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    return output, errors, running.returncode


@pytest.mark.parametrize("text", [WAITING, IN_A_GRADIENT], ids=["loop", "gradient"])
def test_interrupt_runs_after_thunks(text: str, back_end: str, tmp_path: Path) -> None:
    command = command_of(text, back_end, tmp_path)
    assert interrupted(command, ["in\nwaiting\n"]) == ("out\n", "", 130)


def test_second_interrupt_ends_after_thunks(back_end: str, tmp_path: Path) -> None:
    command = command_of(STUBBORN, back_end, tmp_path)
    assert interrupted(command, ["in\nwaiting\n", "out\n"]) == ("", "", 130)


def test_emergency_exit(back_end: str, tmp_path: Path) -> None:
    command = command_of(AT_ONCE, back_end, tmp_path)
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("in\n", "", 3)


@pytest.mark.slow
@pytest.mark.parametrize("text", [EVERYTHING, WITH_TENSORS])
def test_no_failure_leaks(text: str, all_random: bool, tmp_path: Path) -> None:
    """Every operation fails in turn; with tensors, where each run loads LibTorch, one in ten."""
    binary = build_texts({"control": text}, tmp_path)
    script = subprocess.run(
        command_of(text, "script", tmp_path), capture_output=True, text=True
    )
    output, _, status = finish([str(binary), "control"], tmp_path)
    assert (output, status) == (script.stdout, script.returncode)
    is_long = text == WITH_TENSORS and not all_random
    some = [str(number) for number in range(1, 400, 10)] if is_long else []
    output, _, status = finish([str(binary), "control", "inject", *some], tmp_path)
    assert status == 0, output
    assert int(output) > (5 if is_long else 20)
