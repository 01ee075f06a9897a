"""Compare the control flow of both back ends with Guile's and Chez's, on random programs.

    python -m tests.stress.schemes.control_flow [--programs 2000] [--seed 1] [--keep FOLDER]

Each program nests dynamic-wind, escapes through call/cc, guard, raise, raise-continuable,
handlers, parameterize, promises and multiple values, and prints a trace of what was evaluated in
which order.  It keeps to what R7RS determines: one operand of a call has effects, and no
continuation leaves a before- or after-thunk.  Lambent's continuations only lead out, so none is
entered again.  Script and executable must be equal, and equal to a peer (Debian: guile-3.0,
chezscheme).  A program that differs from both is printed.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.stress.schemes import answers, run_peer
from tests.support.programs_run import command_of, run
from tests.support.random_programs.random_control import random_program

BATCH = 25  # programs in one file
_GUILE_OPTIONS = ("--no-auto-compile", "--r7rs", "-s")

# Everything that the programs call.  A trace ends after some hundred steps: programs may loop.
COMMON = """
(define steps 0)
(define trace '())
(define stop #f)
(define p (make-parameter 0))
(define (tr n x)
  (set! trace (cons (list n (shown x)) trace))
  (set! steps (+ steps 1))
  (if (= steps 400) (stop 'long) x))
(define (shown x)
  (cond ((error-object? x)
         (if (equal? (error-object-message x) "made")
             (list 'made (error-object-irritants x))
             'another))
        ((procedure? x) 'procedure)
        (else x)))
(define (size x)
  (cond ((number? x) x)
        ((symbol? x) 7)
        ((and (error-object? x) (equal? (error-object-message x) "made"))
         (let ((irritants (error-object-irritants x)))
           (if (and (pair? irritants) (number? (car irritants))) (car irritants) 5)))
        (else 3)))
(define q (make-parameter 1 (lambda (x) (modulo (size x) 10))))
(define (add a b) (modulo (+ (size a) (size b)) 1000))
(define (run-program number thunk)
  (set! steps 0)
  (set! trace '())
  (let ((result
         (call-with-current-continuation
          (lambda (leave)
            (set! stop leave)
            (with-exception-handler
             (lambda (e) (leave (list 'uncaught (shown e))))
             thunk)))))
    (newline)
    (display "@ ")
    (display number)
    (display " ")
    (write (reverse trace))
    (write (shown result))
    (newline)))
"""
GUILE = """
(import (scheme base) (scheme write) (scheme lazy))
"""
CHEZ = """
(define error-object? condition?)
(define (error-object-message x) (if (message-condition? x) (condition-message x) ""))
(define (error-object-irritants x) (condition-irritants x))
(define-syntax delay-force (syntax-rules () ((_ x) (delay (force x)))))
(define (made-error . irritants) (apply error #f "made" irritants))
"""
NOT_CHEZ = """
(define (made-error . irritants) (apply error "made" irritants))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="keep the files of each batch here")
    given = parser.parse_args()
    different = compared = 0
    for first in range(0, given.programs, BATCH):
        seeds = range(first, min(first + BATCH, given.programs))
        programs = [random_program(random.Random(given.seed * 1_000_000 + k)) for k in seeds]
        with tempfile.TemporaryDirectory() as name:
            folder = given.keep or Path(name)
            folder.mkdir(exist_ok=True)
            for difference in differences(programs, folder):
                different += 1
                print(difference, flush=True)
        compared += len(programs)
        print(f"{compared} programs: {different} differ", flush=True)
    sys.exit(different > 0)


def differences(programs: list[str], folder: Path) -> Iterator[str]:
    """What differs, in words."""
    text = COMMON + "".join(
        f"(run-program {k} (lambda ()\n  {program}))\n" for k, program in enumerate(programs))
    results = {
        "guile": _traces(run_peer(folder, "guile", _GUILE_OPTIONS, GUILE + NOT_CHEZ + text)),
        "chez": _traces(run_peer(folder, "scheme", ("--script",), CHEZ + text)),
    }
    for back_end in ("script", "executable"):
        outcome = run(command_of(NOT_CHEZ + text, back_end, folder), folder)
        if outcome.errors or outcome.status:
            yield f"{back_end} ends with status {outcome.status}: {outcome.errors[-2000:]}"
        results[back_end] = _traces(outcome.output)
    for k, program in enumerate(programs):
        found = {name: traces.get(k, "no trace") for name, traces in results.items()}
        is_one_of_theirs = found["script"] in (found["guile"], found["chez"])
        if found["script"] != found["executable"] or not is_one_of_theirs:
            lines = "".join(f"    {name:10} {trace}\n" for name, trace in found.items())
            yield f"DIFFERS {k}\n{program}\n{lines}"


def _traces(output: str) -> dict[int, str]:
    found = {}
    for line in answers(output):
        number, trace = line.split(" ", 1)
        found[int(number)] = trace
    return found


if __name__ == "__main__":
    main()
