"""Run compilers side by side, and leave none behind.

    run_all([Job("forms", ("g++", ...)), ...], 2, scratch, ended)

Not with threads that wait: Ctrl-C and signals have to reach this code whichever thread it is in, so
it looks at its compilers some ten times a second.  Each is a process group, so that what it has
started ends with it.
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

PAUSE = 0.1  # seconds between two looks, where no compiler ends
_MANY_TIMES = 1000
_CANCELLING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Job:
    """A command, the name of what it compiles, and how long that takes compared with others."""

    name: str
    command: tuple[str, ...]
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Running:
    """A job under way, and the file that holds what it says."""

    job: Job
    process: "subprocess.Popen[bytes]"
    said: IO[bytes]


# Told how a job ended: its exit status, and what it said.  An exception stops all others.
Ended = Callable[[Job, int, str], None]


def run_all(
    jobs: Sequence[Job],
    at_once: int,
    scratch: Path | None,
    ended: Ended,
    look: Callable[[Sequence[Running]], None] = lambda running: None,
) -> None:
    """Run them all, in their order.  look: called now and then with those under way.

    scratch: where compilers put what they make in between, which killed ones leave there.
    """
    waiting, running = deque(jobs), list[Running]()
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                _begin(waiting.popleft(), scratch, running)
            _wait_for_one(running)
            for one in [one for one in running if one.process.poll() is not None]:
                running.remove(one)
                ended(one.job, one.process.returncode, _what_it_said(one))
            look(running)
    finally:
        _kill(running)


def _begin(job: Job, scratch: Path | None, running: list[Running]) -> None:
    said = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 - closed when it has been read
    environment = {**os.environ, "TMPDIR": str(scratch)} if scratch else None
    with _signals_held():
        process = subprocess.Popen(
            job.command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, process_group=0,
            env=environment,
        )
        running.append(Running(job, process, said))


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait that would raise: within Popen, the process that has begun would be lost."""
    held: list[int] = []
    usual: dict[signal.Signals, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in _CANCELLING:
                if callable(handler := signal.getsignal(number)):
                    usual[number] = handler
                    signal.signal(number, lambda number, frame: held.append(number))
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    for waiting in held:
        signal.raise_signal(waiting)


def _wait_for_one(running: Sequence[Running]) -> None:
    """Until one of them ends, where the system tells that, but not for long."""
    if not hasattr(os, "pidfd_open"):
        time.sleep(PAUSE)
        return
    watches = [os.pidfd_open(one.process.pid) for one in running]
    try:
        select.select(watches, [], [], PAUSE)
    finally:
        for watch in watches:
            os.close(watch)


def _what_it_said(one: Running) -> str:
    with one.said:
        one.said.seek(0)
        return one.said.read().decode(errors="replace")


def _kill(running: Sequence[Running]) -> None:
    """Ctrl-C comes again and again until this thread has ended, so it comes here, too."""
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
        one.said.close()
