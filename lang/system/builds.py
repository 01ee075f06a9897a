"""Run the compilers of a build, show their progress, and say why one failed.

    run_all([Job("overloads", ("g++", ...), 9000), ...], 2, scratch, keep, log, "ctorch")

running.py runs them; what is built here takes minutes, once, and keeps its object files.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from lambent.lang.errors import UsageFault
from lambent.lang.system import running
from lambent.lang.system.cache import ensure_folder
from lambent.lang.system.compilers import why
from lambent.lang.system.running import Job, Running

_SPARSE = 15.0  # seconds between two lines that stay
_LIVELY = 0.5  # and between two lines that replace each other
_KEPT_SECONDS = 7 * 24 * 3600  # since a build used an object file


def object_store(beside: Path) -> Path:
    """The folder of object files that builds share; those that none has used for long are deleted.

    beside: a path in the folder that holds it.
    """
    store = ensure_folder(beside.with_name("objects"))
    for path in store.iterdir():
        with suppress(FileNotFoundError):  # other builds rename and delete files, too
            if path.stat().st_mtime < time.time() - _KEPT_SECONDS:
                path.unlink()
    return store


class Progress:
    """Shows the progress of a build on the standard error: in one changing line on a terminal,
    in a line now and then elsewhere."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.start = self.told = time.monotonic()
        self.total = sum(job.weight for job in jobs)
        self.done: list[Job] = []
        self.count = len(jobs)
        self.is_lively = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def look(self, under_way: Sequence[Running]) -> None:
        now = time.monotonic()
        if now - self.told < (_LIVELY if self.is_lively else _SPARSE):
            return
        self.told = now
        self._show(f"{len(self.done)} of {self.count} files compiled{self._left(under_way, now)}")

    def _left(self, under_way: Sequence[Running], now: float) -> str:
        """How long it may still take; jobs that run count half."""
        passed = sum(j.weight for j in self.done) + sum(r.job.weight for r in under_way) / 2
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
        """Erase the changing line, so that others can follow."""
        if self.is_lively:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def say(text: str) -> None:
    """Tell the user what takes long."""
    print(f"lambent: {text}", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """A duration, rounded as it is an estimate."""
    if seconds >= 90:
        return f"{round(seconds / 60)} minutes"
    return f"{max(5, 5 * round(seconds / 5))} seconds"


def run_all(
    jobs: Sequence[Job], at_once: int, scratch: Path, keep: Callable[[Job], None], log: Path,
    what: str,
) -> None:
    """Run them all, in their order.  A failure stops the others and leaves a log.

    keep: called for each job that succeeded.  scratch: the folder for compilers' temporary files.
    what: what is built, for messages.
    """
    progress = Progress(jobs)

    def ended(job: Job, status: int, said: str) -> None:
        _require_success(job, status, said, log, what)
        keep(job)
        progress.done.append(job)

    try:
        running.run_all(jobs, at_once, scratch, ended, progress.look)
    finally:
        progress.clear()


def run(job: Job, scratch: Path, log: Path, what: str) -> None:
    """Run one job, without progress."""
    run_all([job], 1, scratch, lambda _: None, log, what)


def _require_success(job: Job, status: int, said: str, log: Path, what: str) -> None:
    if status == 0:
        return
    reason = why(status, said)
    hints = [reason.hint] if reason.hint else []
    with suppress(OSError):  # such as a full disk
        log.write_text(f"$ {' '.join(job.command)}\n{said}\n", errors="surrogateescape")
        hints.append(f"the whole output is in {log}")
    raise UsageFault(
        f"building {what} failed: {reason.message}",
        hint="; ".join(hints) or None,
    )
