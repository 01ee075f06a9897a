"""Too little memory, and endless recursion, in processes with limits of their own.

Both back ends keep what was printed, run after-thunks, and end with status 70 and the same message.
"""

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes.mounts import run_with_mounts
from tests.support.programs_run import PEAK

LAMBENT = [sys.executable, "-m", "lambent.lang"]
MEBIBYTE = 1 << 20
LIMIT = 256 * MEBIBYTE
ROOM_FOR_KEYS = 376 * MEBIBYTE  # a script's table fails when it grows, not when a key is created
LIMITS = {"address space": resource.RLIMIT_AS, "data": resource.RLIMIT_DATA}
Back = str  # "script" or "executable"

# Memory runs out while small objects are created, and most of it is still in use when handlers run.
SMALL = """\
(define kept '())
(define (fill n) (set! kept (cons (list n 1.5 "x") kept)) (fill (+ n 1)))
(display "before, ")
(dynamic-wind
  (lambda () (display "in, "))
  (lambda () (guard (e ((string? e) 'never)) (fill 0)))
  (lambda () (display (list "after" (map (lambda (x) (* x 1.5)) (iota 3)) (expt 7 50)))))
"""

CAUGHT = """\
(define-syntax said
  (syntax-rules () ((_ form) (print (guard (e (#t (error-object-message e))) form)))))
(define (fill n kept) (fill (+ n 1) (cons (list n 1.5 "x") kept)))
(define (total n) (let loop ((i 0) (l '())) (if (< i n) (loop (+ i 1) (cons i l)) (length l))))
(said (fill 0 '()))
(said (fill 0 '()))
(print (total 100000))
(define n 5000000000)
(said (make-vector n 0))
(said (make-string n #\\a))
(said (make-string n #\\λ))
(said (make-bytevector n 0))
(said (iota n))
(said (arithmetic-shift 1 4200000000))
(said (expt 7 (expt 10 9)))
(said (let loop ((s "0123456789abcdef")) (loop (string-append s s))))
(said (let loop ((v (make-vector 1000 0))) (loop (vector-append v v))))
(said (let loop ((b (make-bytevector 1000 0))) (loop (bytevector-append b b))))
(define text (make-string 1000000 #\\a))
(said (let ((port (open-output-string))) (let loop () (write-string text port) (loop))))
(said (let ((t (make-hash-table))) (let loop ((i 0)) (hash-set! t i i) (loop (+ i 1)))))
(call-with-output-file "large" (lambda (port) (dotimes (i 300) (write-string text port))))
(said (string-length (call-with-input-file "large" port->string)))
(said (length (call-with-input-file "large" read)))
(delete-file "large")
(print (total 100000))
(define (make n) (make-vector n 0))
(list (make n))
"""

CAUGHT_SAYS = """\
not enough memory
not enough memory
100000
make-vector: not enough memory for 5000000000 elements
make-string: not enough memory for 5000000000 characters
make-string: not enough memory for 5000000000 characters
make-bytevector: not enough memory for 5000000000 bytes
iota: not enough memory for 5000000000 elements
arithmetic-shift: not enough memory for 4200000001 bits
expt: not enough memory for 3000000000 bits
string-append: not enough memory for N characters
vector-append: not enough memory for N elements
bytevector-append: not enough memory for N bytes
write-string: not enough memory for N characters
not enough memory
port->string: not enough memory for N characters
read: not enough memory for N characters
100000
"""

CAUGHT_ENDS = """\
a.lisp:27:18: make-vector: not enough memory for 5000000000 elements
  27 | (define (make n) (make-vector n 0))
     |                  ^^^^^^^^^^^^^^^^^
  in make, called at a.lisp:28:7
"""

DEEP = """\
(display "before ")
(define (f n) (+ 1 (f (+ n 1))))
(dynamic-wind list (lambda () (f 0)) (lambda () (display "after")))
"""

DEEP_ENDS = """\
a.lisp:2:20: recursion is too deep
  2 | (define (f n) (+ 1 (f (+ n 1))))
    |                    ^^^^^^^^^^^
hint: does it end?
"""

# Objects that grow step by step fail in a call, which has a location.
GROWING = """\
(define text (make-string 1000000 #\\a))
(define (fill table i) (hash-set! table i i) (fill table (+ i 1)))
(define (write-all port) (write-string text port) (write-all port))
(if (equal? (getenv "GROWING") "table")
    (fill (make-hash-table) 0)
    (write-all (open-output-string)))
"""

GROWING_ENDS = {
    "table": """\
a.lisp:2:24: hash-set!: not enough memory for N keys
  2 | (define (fill table i) (hash-set! table i i) (fill table (+ i 1)))
    |                        ^^^^^^^^^^^^^^^^^^^^^
  in fill, called at a.lisp:5:5
""",
    "string": """\
a.lisp:3:26: write-string: not enough memory for N characters
  3 | (define (write-all port) (write-string text port) (write-all port))
    |                          ^^^^^^^^^^^^^^^^^^^^^^^^
  in write-all, called at a.lisp:6:5
""",
}


# Memory runs out while each kind of object is made; the guard catches it, and the program goes on.
# The tensors' errors have other texts, so these programs only say that something was caught.
KINDS = """\
(define kept '())
(define (fill make) (let loop ((l '()) (i 0)) (loop (cons (make i) l) (+ i 1))))
(define-syntax caught
  (syntax-rules () ((_ form) (display (guard (e ((error-object? e) 'caught)) form)))))
(caught (fill (lambda (i) (cons i 1.5))))
(caught (fill (lambda (i) (make-vector 1000 i))))
(caught (fill (lambda (i) (string-append "abc" (number->string i)))))
(caught (fill (lambda (i) (make-bytevector 3000 7))))
(caught (fill (lambda (i) (expt 7 (+ 500 (modulo i 100))))))
(caught (fill (lambda (i) (lambda () (list i fill)))))
(caught (fill (lambda (i) (let ((p (open-output-string))) (write i p) p))))
(caught (fill (lambda (i) (dynamic-wind list (lambda () (list i)) list))))
(caught (fill (lambda (i) (call/cc (lambda (k) (list i))))))
(caught
  (call/cc
    (lambda (k) (with-exception-handler (lambda (e) (k 'caught)) (lambda () (fill list))))))
(dotimes (i 3) (caught (let loop ((i 0)) (set! kept (cons (list i 1.5) kept)) (loop (+ i 1)))))
(set! kept '())
(print (length (iota 100000)))
"""
OF_TENSORS = """\
(define kept '())
(define-syntax caught
  (syntax-rules () ((_ form) (display (guard (e ((error-object? e) 'caught)) form)))))
(define (fill make) (let loop ((l '()) (i 0)) (loop (cons (make i) l) (+ i 1))))
(caught (fill (lambda (i) (tensor-ones 100000))))
(caught (fill (lambda (i) (list (tensor-ones 5000) i))))
(caught (let loop ((i 0)) (set! kept (cons (tensor-ones 20000) (cons i kept))) (loop (+ i 1))))
(caught (let loop ((i 0)) (set! kept (cons (tensor-ones 3) kept)) (loop (+ i 1))))
(set! kept '())
(print (tensor-shape (tensor-ones 2 3)))
"""


# A control group for the test: its limit, and its use.
GROUP = """
mount -t tmpfs group /sys/fs/cgroup
echo 268435456 > /sys/fs/cgroup/memory.max
echo 12582912 > /sys/fs/cgroup/memory.current
"""


class Program:
    """A program that either back end runs; the executable is compiled once."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        (folder / "a.lisp").write_text(text)
        subprocess.run([*LAMBENT, "compile", "a.lisp"], cwd=folder, check=True, timeout=600)
    def command(self, back_end: Back) -> list[str]:
        return [*LAMBENT, "a.lisp"] if back_end == "script" else [str(self.folder / "a")]

    def run(self, back_end: Back, which: int, limit: int = LIMIT) -> tuple[str, str, int]:
        done = subprocess.run(
            self.command(back_end), cwd=self.folder, capture_output=True, text=True, timeout=600,
            preexec_fn=lambda: resource.setrlimit(which, (limit, limit)),
        )
        return done.stdout, done.stderr, done.returncode


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Program]:
    texts = {
        "small": SMALL, "caught": CAUGHT, "deep": DEEP, "growing": GROWING, "kinds": KINDS,
        "of tensors": OF_TENSORS,
    }
    # What a first start prepares needs more memory than some limits leave.
    subprocess.run([*LAMBENT, "-e", "1"], check=True, timeout=600)
    return {name: Program(tmp_path_factory.mktemp(name), text) for name, text in texts.items()}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_many_small_objects_exhaust_the_memory(
    programs: dict[str, Program], back_end: Back, limit: str
) -> None:
    said = programs["small"].run(back_end, LIMITS[limit])
    power = 7**50
    expected = f"before, in, (after (0.0 1.5 3.0) {power})"
    assert said == (expected, "not enough memory\n", 70)


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_guard_catches_memory_errors(programs: dict[str, Program], back_end: Back) -> None:
    output, errors, status = programs["caught"].run(back_end, resource.RLIMIT_AS)
    growing = r"((?:-append|write-string|->string|-set!|read): not enough memory for) \d+"
    said = re.sub(growing, r"\1 N", output)
    # In a script it is chance whether the table or one of its keys runs out of memory.
    said = said.replace("hash-set!: not enough memory for N keys", "not enough memory")
    assert said == CAUGHT_SAYS
    assert (errors, status) == (CAUGHT_ENDS, 70)


@pytest.mark.parametrize("mebibytes", [285, 331])
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_guard_catches_the_end_of_memory_with_any_object(
    programs: dict[str, Program], back_end: Back, mebibytes: int
) -> None:
    said = programs["kinds"].run(back_end, resource.RLIMIT_AS, mebibytes * MEBIBYTE)
    assert said == ("caught" * 13 + "100000\n", "", 0)


@pytest.mark.parametrize("mebibytes", [1800])
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_guard_catches_the_end_of_memory_with_tensors(
    programs: dict[str, Program], back_end: Back, mebibytes: int
) -> None:
    """An operator says so itself, and what explains its error is loaded when memory is used up."""
    said = programs["of tensors"].run(back_end, resource.RLIMIT_AS, mebibytes * MEBIBYTE)
    assert said == ("caught" * 4 + "(2 3)\n", "", 0)


@pytest.mark.parametrize("what", GROWING_ENDS)
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_growing_objects_report_their_location(
    programs: dict[str, Program], monkeypatch: pytest.MonkeyPatch, back_end: Back, what: str
) -> None:
    monkeypatch.setenv("GROWING", what)
    output, errors, status = programs["growing"].run(back_end, resource.RLIMIT_AS, ROOM_FOR_KEYS)
    said = re.sub(r"memory for \d+", "memory for N", errors)
    assert (output, said, status) == ("", GROWING_ENDS[what], 70)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_endless_recursion_fits_the_limit(
    programs: dict[str, Program], back_end: Back, limit: str
) -> None:
    said = programs["deep"].run(back_end, LIMITS[limit])
    assert said == ("before after", DEEP_ENDS, 70)


@pytest.mark.parametrize(("back_end", "most"), [("script", 600), ("executable", 900)])
def test_endless_recursion_uses_a_bounded_share_of_memory(
    programs: dict[str, Program], back_end: Back, most: int
) -> None:
    program = programs["deep"]
    command = [sys.executable, "-c", PEAK, *program.command(back_end)]
    done = subprocess.run(
        command, cwd=program.folder, capture_output=True, timeout=600
    )
    assert done.returncode == 70
    assert int(done.stdout.split()[-1]) / 1024 < most


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_endless_recursion_fits_a_control_group(
    programs: dict[str, Program], back_end: Back
) -> None:
    """A container kills a process that exceeds its control group's limit."""
    program = programs["deep"]
    command = [sys.executable, "-c", PEAK, *program.command(back_end)]
    done = run_with_mounts(GROUP, command, program.folder)
    assert done.returncode == 70
    assert int(done.stdout.split()[-1]) / 1024 < 256


def test_the_reserve_and_the_test_for_room_touch_no_memory() -> None:
    """Memory that is kept for failures, or asked for as a test, costs addresses, not pages."""
    code = """
import resource
from lambent.lang.interp.errors.faults import RESERVE, need_room, refill_reserve
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
refill_reserve()
need_room("test", 100_000_000, "elements", 8)
print(RESERVE.fill(1), peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    filled, grown = done.stdout.split()
    assert filled == b"True"
    assert int(grown) < 1024  # KiB


def test_nothing_leaks_when_memory_is_exhausted(programs: dict[str, Program]) -> None:
    os.environ["LAMBENT_CHECK_LEAKS"] = "1"
    try:
        _, errors, _ = programs["caught"].run("executable", resource.RLIMIT_AS)
    finally:
        del os.environ["LAMBENT_CHECK_LEAKS"]
    assert errors.endswith("live handles: 0, live objects: 0\n")
