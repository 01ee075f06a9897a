"""Run compilers in parallel, and leave none behind.

    run_all([Job("forms", ("g++", ...)), ...], 2, scratch, ended)

It does not wait in threads, because Ctrl-C and signals must reach this code in any thread.  Instead
it polls the compilers about ten times a second.  Each is a process group, so that killing it also
ends the processes it has started.
"""

import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

PAUSE = 0.1  # seconds between two polls, if no compiler ends
_MANY_TIMES = 1000
_CANCELLING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Job:
    """A command, the name of its input, and its relative duration."""

    name: str
    command: tuple[str, ...]
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Running:
    """A running job, and the file that receives its output."""

    job: Job
    process: "subprocess.Popen[bytes]"
    output: IO[bytes]


# Called when a job has ended, with its exit status and output.  An exception stops all others.
Ended = Callable[[Job, int, str], None]


def run_all(
    jobs: Sequence[Job],
    at_once: int,
    scratch: Path | None,
    ended: Ended,
    look: Callable[[Sequence[Running]], None] = lambda running: None,
) -> None:
    """Run all jobs, starting them in order.  look: called at every poll with the running ones.

    scratch: the folder for temporary files, which killed compilers leave behind.
    """
    waiting, running = deque(jobs), list[Running]()
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                _begin(waiting.popleft(), scratch, running)
            _wait_for_one(running)
            for one in [one for one in running if one.process.poll() is not None]:
                running.remove(one)
                ended(one.job, one.process.returncode, _output_of(one))
            look(running)
    finally:
        _kill(running)


def _begin(job: Job, scratch: Path | None, running: list[Running]) -> None:
    output = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 - closed when it has been read
    environment = {**os.environ, "TMPDIR": str(scratch)} if scratch else None
    with _signals_deferred():
        process = subprocess.Popen(
            job.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, process_group=0,
            env=environment,
        )
        running.append(Running(job, process, output))


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Defer signals whose handlers raise: an exception in Popen would lose the new process."""
    deferred: list[int] = []
    usual: dict[signal.Signals, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in _CANCELLING:
                if callable(handler := signal.getsignal(number)):
                    usual[number] = handler
                    signal.signal(number, lambda number, frame: deferred.append(number))
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    for waiting in deferred:
        signal.raise_signal(waiting)


def _wait_for_one(running: Sequence[Running]) -> None:
    """Wait until one of them ends, but at most for PAUSE; without pidfd_open, always that long."""
    if not hasattr(os, "pidfd_open"):
        time.sleep(PAUSE)
        return
    watches = [os.pidfd_open(one.process.pid) for one in running]
    try:
        select.select(watches, [], [], PAUSE)
    finally:
        for watch in watches:
            os.close(watch)


def _output_of(one: Running) -> str:
    with one.output:
        one.output.seek(0)
        return one.output.read().decode(errors="replace")


def _kill(running: Sequence[Running]) -> None:
    """Kill all of them.  Ctrl-C may be raised repeatedly until this thread ends, so here, too."""
    for _ in range(_MANY_TIMES):
        try:
            _kill_each(running)
            return
        except KeyboardInterrupt:
            continue


def _kill_each(running: Sequence[Running]) -> None:
    for one in running:
        with suppress(ProcessLookupError):
            os.killpg(one.process.pid, signal.SIGKILL)
    for one in running:
        one.process.wait()
        one.output.close()
