"""Files that use up the descriptors: an error that a guard catches, and nothing is lost."""

import subprocess
from pathlib import Path

import pytest

from tests.support.programs_run import command_of

PROGRAM = """
(define open '())
(define (try) (guard (e ((file-error? e) (error-object-message e)))
  (let loop () (set! open (cons (open-input-file "case.lisp") open)) (loop))))
(print (try))
(print (string-upcase (string-append "a" "b")) (guard (e (#t (error-object-message e))) (car 5)))
(set! open '())
(print (read-line (open-input-file "case.lisp")))
; Ports on cycles that nothing reaches.
(do ((i 0 (+ i 1))) ((= i 300))
  (let ((ring (list (open-input-file "case.lisp")))) (set-cdr! ring ring)))
(print 'collected)
"""


@pytest.mark.parametrize("back_end", ["script", "executable"])
@pytest.mark.parametrize("limit", [20, 40, 100])
def test_descriptors_used_up(tmp_path: Path, back_end: str, limit: int) -> None:
    command = command_of(PROGRAM, back_end, tmp_path)
    limited = ["sh", "-c", f'ulimit -n {limit} && exec "$@"', "sh", *command]
    done = subprocess.run(limited, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stderr == ""
    failed = 'open-input-file: cannot open "case.lisp": Too many open files'
    expected = [failed, "AB car: expected a pair, got 5", "", "collected"]
    assert done.stdout.splitlines() == expected
