"""Sessions on the evaluator, besides what they have in common with the interpreter's.

Everything is freed, and when one of the two processes ends, the other one does.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.stress.interrupts import HELD
from tests.suites.evaluator.test_open_world import children_of, wait_until_gone

_COMMAND = [*HELD, sys.executable, "-m", "lambent.lang"]
_FREED = "live handles: 0, live objects: 0\n"


def _start(folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        _COMMAND, cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LAMBENT_MACHINE": "1", "LAMBENT_CHECK_LEAKS": "1"},
    )  # fmt: skip


def _run(text: str, folder: Path) -> tuple[str, str, int]:
    running = _start(folder)
    output, errors = running.communicate(text, timeout=300)
    return output, errors, running.returncode


def test_everything_is_freed(tmp_path: Path) -> None:
    entries = [
        "(define (f x) (list x '(1 2) \"s\"))", "(f 1)", "(define g (f 2))", "(set! f car)",
        "(define k (call/cc (lambda (k) k)))", "(tensor-ones 2)", "(define w [1.0 2.0])",
        "(eval '(define (h) g))", "(h)", "(values w (lambda () w))", "(raise (lambda () g))",
    ]  # fmt: skip
    output, errors, status = _run("".join(f"{entry}\n" for entry in entries), tmp_path)
    assert output.startswith('(1 (1 2) "s")\n')
    assert (errors.splitlines()[-1] + "\n", status) == (_FREED, 70)


def test_memory_stays_flat(tmp_path: Path) -> None:
    """Code that nothing holds any more is freed, in both processes."""
    running = _start(tmp_path)
    assert running.stdin is not None and running.stdout is not None

    def memory_after(count: int) -> int:
        assert running.stdin is not None and running.stdout is not None
        for number in range(count):
            running.stdin.write(f"(define (f x) (list x {number} '(1 2) \"s\"))\n")
        running.stdin.write("'end\n")
        running.stdin.flush()
        assert running.stdout.readline() == "end\n"
        return sum(map(_resident, [running.pid, *children_of(running.pid)]))

    memory_after(200)
    first = memory_after(100)
    assert memory_after(600) - first < 1500  # kilobytes; 3,000 if the passes kept what they know
    running.communicate(timeout=60)
    assert running.returncode == 0


def _resident(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1])


def test_a_session_ends_with_its_evaluator(tmp_path: Path) -> None:
    running = _start(tmp_path)
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write("(+ 1 2)\n")
    running.stdin.flush()
    assert running.stdout.readline() == "3\n"
    (child,) = children_of(running.pid)
    os.kill(child, signal.SIGKILL)
    output, errors = running.communicate("4\n", timeout=60)
    assert (output, errors, running.returncode) == (
        "", "the evaluator has ended, with status -9\n", 70
    )  # fmt: skip


def test_the_evaluator_ends_with_its_session(tmp_path: Path) -> None:
    running = _start(tmp_path)
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write("(+ 1 2)\n")
    running.stdin.flush()
    assert running.stdout.readline() == "3\n"
    (child,) = children_of(running.pid)
    running.kill()
    running.communicate(timeout=60)
    wait_until_gone(child)


def test_the_evaluator_ends_with_its_session_while_it_runs(tmp_path: Path) -> None:
    running = _start(tmp_path)
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write("(begin (print 'on) (flush-output) (let loop () (loop)))\n")
    running.stdin.flush()
    assert running.stdout.readline() == "on\n"
    (child,) = children_of(running.pid)
    running.kill()
    running.communicate(timeout=60)
    wait_until_gone(child)


# (entries, what they print, what errors say, the status)
_ENDS = [
    # More messages about what is dropped than a socket has room for.
    ("(define all (map (lambda (k) (environment '(scheme base))) (iota 400)))\n(length all)\n",
     "400\n", "", 0),
    ("(print 1) (emergency-exit 3)\n", "1\n", "", 3),
    ("(close-port (current-input-port))\n1\n", "", "read-line: the port is closed", 70),
    ("(load \"a\\x0;b\")\n", "", "load: cannot open \"a\\x0;b\": Invalid argument", 70),
]


@pytest.mark.parametrize(("entries", "printed", "said", "status"), _ENDS)
@pytest.mark.parametrize("machine", ["1", "0"])
def test_ends(
    entries: str, printed: str, said: str, status: int, machine: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        _COMMAND, cwd=tmp_path, text=True, input=entries, capture_output=True, timeout=300,
        env={**os.environ, "LAMBENT_MACHINE": machine},
    )  # fmt: skip
    assert (done.stdout, done.returncode) == (printed, status), done.stderr
    assert said in done.stderr and (said or not done.stderr)


def test_an_interrupt_during_a_large_entry_is_not_lost(tmp_path: Path) -> None:
    """It may come before the evaluator has got the entry."""
    numbers = " ".join(map(str, range(200_000)))
    (tmp_path / "large.lisp").write_text(
        f"(print 1) (flush-output) (define x '({numbers})) (let loop () (loop))\n"
    )
    for wait in (0, 0.1, 0.3, 0.6):
        running = subprocess.Popen(
            [*_COMMAND, "-i", "large.lisp"], cwd=tmp_path, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "LAMBENT_MACHINE": "1"},
        )  # fmt: skip
        assert running.stdout is not None
        assert running.stdout.readline() == b"1\n"
        time.sleep(wait)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=120)
        assert (running.returncode, b"Traceback" in errors) == (130, False)
