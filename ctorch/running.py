"""Run compilers side by side, show how far they are, and leave none behind.

    run_all([Job("forms", ("g++", ...), 9000), ...], 2, scratch, keep, progress)

Not with threads that wait: Ctrl-C has to reach this code whichever thread it is in, so it looks at
its compilers some ten times a second.  Each is a process group, so that what it has started ends
with it.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lambent.lang.compilers import why
from lambent.lang.errors import UsageFault

PAUSE = 0.03  # seconds between two looks
_SPARSE = 15.0  # seconds between two lines where lines stay
_MANY_TIMES = 1000
_LIVELY = 0.5  # and between two of which each replaces the last


@dataclass(frozen=True, slots=True)
class Job:
    """A command, the name of what it compiles, and how long that takes compared with others."""

    name: str
    command: tuple[str, ...]
    weight: int = 1


@dataclass(frozen=True, slots=True)
class _Running:
    job: Job
    process: "subprocess.Popen[bytes]"
    said: Path


class Progress:
    """Tells on the standard error how far a build is: in one line that changes on a terminal,
    in a line now and then elsewhere."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.start = self.told = time.monotonic()
        self.total = sum(job.weight for job in jobs)
        self.done: list[Job] = []
        self.count = len(jobs)
        self.is_lively = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def look(self, running: Sequence[_Running]) -> None:
        now = time.monotonic()
        if now - self.told < (_LIVELY if self.is_lively else _SPARSE):
            return
        self.told = now
        self._show(f"{len(self.done)} of {self.count} files compiled{self._left(running, now)}")

    def _left(self, running: Sequence[_Running], now: float) -> str:
        """How long it may still take: those that run count half."""
        passed = sum(j.weight for j in self.done) + sum(r.job.weight for r in running) / 2
        if not self.done or not passed:
            return ""
        seconds = (now - self.start) * (self.total / passed - 1)
        return f", about {duration(seconds)} left"

    def _show(self, text: str) -> None:
        line = f"lambent: {text}"
        if self.is_lively:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r{line[:width]}\x1b[K")
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        """The line that changes is gone, for others to follow."""
        if self.is_lively:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def duration(seconds: float) -> str:
    """Rounded to what an estimate is worth."""
    if seconds >= 90:
        return f"{round(seconds / 60)} minutes"
    return f"{max(5, 5 * round(seconds / 5))} seconds"


def run_all(
    jobs: Sequence[Job], at_once: int, scratch: Path, ended: Callable[[Job], None], log: Path
) -> None:
    """Run them all, in their order.  A failure stops the others and leaves a log of it.

    ended: what to do with what a job has made.  scratch: where compilers put what they make in
    between.
    """
    waiting, running = deque(jobs), list[_Running]()
    progress = Progress(jobs)
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                running.append(_begin(waiting.popleft(), scratch))
            over = [one for one in running if one.process.poll() is not None]
            for one in over:
                running.remove(one)
                _require_success(one, log)
                ended(one.job)
                progress.done.append(one.job)
            progress.look(running)
            if not over:
                time.sleep(PAUSE)
    finally:
        _kill(running)
        progress.clear()


def run(job: Job, scratch: Path, log: Path) -> None:
    """Run one, where there is no progress to show."""
    run_all([job], 1, scratch, lambda _: None, log)


def _begin(job: Job, scratch: Path) -> _Running:
    said = scratch / f"{job.name}.said"
    with said.open("wb") as out:
        process = subprocess.Popen(
            job.command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, process_group=0,
            env={**os.environ, "TMPDIR": str(scratch)},
        )
    return _Running(job, process, said)


def _kill(running: Sequence[_Running]) -> None:
    """Ctrl-C comes again and again until this thread has ended, so it comes here, too."""
    for _ in range(_MANY_TIMES):
        try:
            _kill_each(running)
            return
        except KeyboardInterrupt:
            continue


def _kill_each(running: Sequence[_Running]) -> None:
    for one in running:
        with suppress(ProcessLookupError):
            os.killpg(one.process.pid, signal.SIGKILL)
    for one in running:
        one.process.wait()


def _require_success(one: _Running, log: Path) -> None:
    status = one.process.returncode
    if status == 0:
        return
    said = one.said.read_text(errors="replace")
    reason = why(status, said)
    hints = [reason.hint] if reason.hint else []
    with suppress(OSError):  # such as a full disk
        log.write_text(f"$ {' '.join(one.job.command)}\n{said}\n", errors="surrogateescape")
        hints.append(f"the whole output is in {log}")
    raise UsageFault(
        f"building the LibTorch interface failed: {reason.message}",
        hint="; ".join(hints) or None,
    )
