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
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PAUSE = 0.1  # seconds between two looks, where no compiler ends
_MANY_TIMES = 1000


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
    """Start a job.  It is listed first: an exception may come while its process begins."""
    said = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 - closed when it has been read
    process = subprocess.Popen.__new__(subprocess.Popen)
    running.append(Running(job, process, said))
    environment = {**os.environ, "TMPDIR": str(scratch)} if scratch else None
    process.__init__(  # type: ignore[misc]
        job.command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, process_group=0,
        env=environment,
    )


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
    started = [one for one in running if getattr(one.process, "pid", None)]
    for one in started:
        with suppress(ProcessLookupError):
            os.killpg(one.process.pid, signal.SIGKILL)
    for one in started:
        one.process.wait()
    for one in running:
        one.said.close()
