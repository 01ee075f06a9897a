"""Ctrl-C: a sample of `tests/stress/interrupts.py`, and Python programs that handle signals."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.stress.interrupts import HELD, stress
from tests.support.paths import ROOT
from tests.support.programs_run import command_of

SAMPLES = {"repl": 60, "embedded": 100, "script": 8, "evaluator": 8, "executable": 60}


@pytest.mark.parametrize("kind", SAMPLES)
def test_interrupts_at_random_times(kind: str) -> None:
    report = stress(kind, SAMPLES[kind], seed=7)
    assert not report.wrong, report.text()


def test_interrupted_examples() -> None:
    """Executables whose programs reach guard, dynamic-wind, call/cc, parameterize and sort."""
    report = stress("examples", 40, 7, ("sudoku", "bank", "grid-world", "calculator"), 60)
    assert not report.wrong, report.text()


# What Python programs do with signals, threads and finalizers; each prints "fine" and ends with 0.

HOSTS = {
    "Ctrl-C ends an evaluation, and the next one runs": """
signal.setitimer(signal.ITIMER_REAL, 0.3)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
try:
    lambent.eval("(let loop () (loop))")
except KeyboardInterrupt:
    fine(lambent.eval("(+ 1 2)") == 3)
""",
    "a handler that raises ends an evaluation": """
def late(*_):
    raise TimeoutError("late")
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    lambent.eval("(let loop () (loop))")
except TimeoutError:
    fine(lambent.eval("(+ 1 2)") == 3 and signal.getsignal(signal.SIGALRM) is late)
""",
    "a handler that returns does not disturb an evaluation": """
rings = []
signal.signal(signal.SIGALRM, lambda *_: rings.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.02)
lambent.eval("(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))")
while len(rings) < 5:
    value = lambent.eval("(fib 22)")
signal.setitimer(signal.ITIMER_REAL, 0)
fine(value == 17711)
""",
    "a handler may evaluate while nothing runs": """
values = []
signal.signal(signal.SIGALRM, lambda *_: values.append(lambent.eval("(* 6 7)")))
signal.setitimer(signal.ITIMER_REAL, 0.2)
while not values:
    time.sleep(0.05)
fine(values == [42])
""",
    "a handler that interrupts an evaluation is told that it cannot evaluate": """
signal.signal(signal.SIGALRM, lambda *_: lambent.eval("(* 6 7)"))
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    lambent.eval("(let loop () (loop))")
except lambent.LispError as error:
    fine("already waiting for an evaluation" in error.message and lambent.eval("1") == 1)
""",
    "a callback waits for another thread's evaluation": """
def ask(x):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambent.eval, "(* x 2)", x=x).result()
fine(lambent.eval("(map f '(1 2 3))", f=ask) == [2, 4, 6])
""",
    "callbacks of threads that wait for each other's threads": """
def ask(depth):
    if depth == 0:
        return 0
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambent.eval, "(+ 1 (ask depth))", ask=ask, depth=depth - 1).result()
fine(lambent.eval("(ask 5)", ask=ask) == 5)
""",
    "a callback's own evaluation comes after another thread's": """
def both(x):
    with ThreadPoolExecutor(2) as pool:
        others = pool.map(lambda n: lambent.eval("(parameterize ((p n)) (p))", n=n), range(20))
        own = lambent.eval("(p)")
        return own + sum(others)
lambent.eval("(define p (make-parameter 0))")
fine(lambent.eval("(parameterize ((p 1000)) (f 1))", f=both) == 1190)
""",
    "many threads evaluate at once": """
def work(n):
    return lambent.eval("(let loop ((i 0) (s 0)) (if (= i 500) (f s) (loop (+ i 1) (+ s n))))",
                        n=n, f=lambda s: lambent.eval("(+ 1 s)", s=s))
with ThreadPoolExecutor(8) as pool:
    fine(list(pool.map(work, range(100))) == [500 * n + 1 for n in range(100)])
""",
    "Ctrl-C while another thread's evaluation runs": """
other = Thread(target=lambda: lambent.eval("(f)", f=lambda: time.sleep(0.1) or lambent.eval(
    "(let loop ((i 0)) (if (< i 3000000) (loop (+ i 1)) i))")))
other.start()
time.sleep(0.2)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    lambent.eval("(let loop () (loop))")
except KeyboardInterrupt:
    other.join()
    fine(lambent.eval("'on") == "on")
""",
    "a finalizer in the midst of Lisp evaluates": """
class Dying:
    def __del__(self):
        ended.append(lambent.eval("(let loop ((i 0)) (if (< i 10) (loop (+ i 1)) 'ended))"))
ended = []
def make():
    cycle = [Dying()]
    cycle.append(cycle)
gc.set_threshold(50)
total = lambent.eval('''
(define (even n) (if (= n 0) 'even (odd (- n 1))))
(define (odd n) (if (= n 0) 'odd (even (- n 1))))
(map (lambda (n) (f) (even n)) (iota 300))''', f=make)
fine(total == ["even", "odd"] * 150 and len(ended) > 100)
""",
    "a finalizer at the end of the process does not hang": """
class Dying:
    def __del__(self, evaluate=lambent.eval, write=os.write):
        try:
            evaluate("1")
        except Exception as error:
            write(1, b"fine\\n" if "shutting down" in str(error) else str(error).encode())
last = Dying()
""",
    "an atexit function evaluates": """
atexit.register(lambda: fine(lambent.eval("(+ 1 2)") == 3))
lambent.eval("1")
""",
    "a forked child evaluates": """
lambent.eval("(define x 5)")
child = os.fork()
if child == 0:
    fine(lambent.eval("(+ 1 2)") == 3)
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
""",
}
_HEAD = """
import atexit, gc, os, signal, sys, time
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
import lambent
def fine(holds):
    print("fine" if holds else "wrong")
lambent.eval("1")
"""


@pytest.mark.parametrize("what", HOSTS)
def test_interrupts_in_a_host_program(what: str, tmp_path: Path) -> None:
    program = tmp_path / "host.py"
    program.write_text(_HEAD + HOSTS[what])
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert (done.stdout, done.stderr, done.returncode) == ("fine\n", "", 0)


@pytest.mark.skipif(not HELD, reason="`env --block-signal` is not available")
def test_interrupts_during_the_start_of_a_command(tmp_path: Path) -> None:
    """The command that `make` installs, called through a link: Python must print no traceback."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "python").chmod(0o755)
    shutil.copy(ROOT / "lang/command.sh", folder / "lambent")
    command = tmp_path / "link"
    command.symlink_to("bin/lambent")
    for number in range(12):
        running = subprocess.Popen(
            [command, "-e", "(let loop () (loop))"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        time.sleep(0.008 * number)
        running.send_signal(signal.SIGINT)
        assert running.communicate(timeout=120) == (b"", b"")
        assert running.returncode in (130, -signal.SIGINT)


def test_interrupts_during_the_start_of_an_executable(tmp_path: Path) -> None:
    """Also before the program has its own stack, whose limit is also the flag for Ctrl-C."""
    command = command_of("(display (read-line))", "executable", tmp_path)
    for number in range(100):
        running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        time.sleep(0.00002 * number)
        running.send_signal(signal.SIGINT)
        running.wait(timeout=60)
        running.communicate()
        assert running.returncode in (130, -signal.SIGINT)


def test_ignored_interrupts_stay_ignored(back_end: str, tmp_path: Path) -> None:
    """A shell starts background jobs with SIGINT ignored."""
    command = command_of('(display "on") (flush-output) (display (read-line))', back_end, tmp_path)
    running = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert running.stdin and running.stdout
    assert running.stdout.read(2) == b"on"
    running.send_signal(signal.SIGINT)
    output, _ = running.communicate(b"and on\n", timeout=120)
    assert (output, running.returncode) == (b"and on", 0)


def test_an_interrupt_in_the_last_operation(back_end: str, tmp_path: Path) -> None:
    """Which is one of LibTorch's: it looks for no Ctrl-C, and nothing comes after it."""
    text = """(define x (tensor-rand 20000000))
              (display "on" (current-error-port))
              (tensor-sort x)"""
    command = command_of(text, back_end, tmp_path)
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stderr
    assert running.stderr.read(2) == b"on"
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=120) == (b"", b"")
    assert running.returncode in (130, -signal.SIGINT)


# The second Ctrl-C ends a program wherever it is, with all that it has printed and written.
STUBBORN = """
(define port (open-output-file "written.txt"))
(define (say text) (display text (current-error-port)))
(define (spin i) (if (= i -1) i (spin (if (> i 100) 0 (+ i 1)))))
(dynamic-wind
 list
 (lambda () (print "line" 0) (write 'written port) (say "in") (spin 0))
 (lambda () (print "line" 1) (say "out") (spin 0)))
(close-port port)
"""
# No operation in it can fail, so it has no code that unwinds.
PURE = """
(define port (open-output-file "written.txt"))
(write 'written port)
(print "line" 0)
(display "in" (current-error-port))
(define (spin i) (if (= i -1) i (spin (if (> i 100) 0 (+ i 1)))))
(spin 0)
(close-port port)
"""
AT_ONCE = """
(define port (open-output-file "written.txt"))
(write 'written port)
(print "line" 0)
(if (pair? (command-line)) (emergency-exit 130))
(close-port port)
"""


@pytest.mark.parametrize(
    ("text", "waits", "output"),
    [(STUBBORN, ["in", "out"], "line 0\nline 1\n"), (PURE, ["in"], "line 0\n"),
     (AT_ONCE, [], "line 0\n")],
    ids=["second", "pure", "emergency-exit"],
)  # fmt: skip
def test_all_output_is_kept(
    text: str, waits: list[str], output: str, back_end: str, tmp_path: Path
) -> None:
    running = subprocess.Popen(
        command_of(text, back_end, tmp_path), cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    assert running.stderr
    for wait in waits:
        assert running.stderr.read(len(wait)) == wait
        running.send_signal(signal.SIGINT)
    printed, errors = running.communicate(timeout=120)
    assert (printed, errors, running.returncode) == (output, "", 130)
    assert (tmp_path / "written.txt").read_text() == "written"
