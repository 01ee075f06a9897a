"""Private folders for what is made in between, which nothing leaves behind.

    with scratch_folder() as folder:     ~/.cache/lambent/scratch/x3k8w1, while the block runs
        compile into folder

The folder is locked as long as its process lives, and the system gives up the lock when the process
dies in any way.  So what a killed process has left is known by its free lock, in containers too,
where process ids repeat; the next process that makes a folder removes it.
"""

import fcntl
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from lambent.lang.system.cache import ensure_folder, writable_folder

# A folder is a moment older than its lock; nobody waits this long between the two.
_SECONDS_TO_LOCK = 60
_DEADLY = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def scratch_folder(within: Path | None = None) -> Iterator[Path]:
    """A folder that is gone after the block, also if a signal ends the process within it.

    within: a folder whose device it shares, if not the cache folder.
    """
    base = ensure_folder((within or writable_folder()) / "scratch")
    sweep(base, "*")
    with clean_exit_on_signals():
        folder = Path(tempfile.mkdtemp(dir=base))
        lock = locked(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def locked(path: Path) -> int:
    """A descriptor that holds the lock of a file or folder until it is closed."""
    descriptor = os.open(path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def sweep(folder: Path, pattern: str) -> None:
    """Remove what dead processes have left in a folder: what is old and not locked."""
    for path in folder.glob(pattern):
        try:
            if time.time() - path.lstat().st_mtime < _SECONDS_TO_LOCK:
                continue
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            continue  # somebody else was faster, or owns it
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        except OSError:
            pass  # its process lives
        finally:
            os.close(descriptor)


class _Dying(BaseException):
    """A signal that is to end the process; no `except Exception` takes it for an error."""

    def __init__(self, number: int) -> None:
        self.number = number


@contextmanager
def clean_exit_on_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end the process after `finally` has run, and by that very signal.

    Not where they are ignored (nohup) or handled already, nor outside of the main thread, which
    alone may say what signals do.
    """
    chosen = [number for number in _DEADLY if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread() or not chosen:
        yield
        return

    def die(number: int, frame: FrameType | None) -> None:
        raise _Dying(number)

    for number in chosen:
        signal.signal(number, die)
    try:
        yield
    except _Dying as dying:
        signal.signal(dying.number, signal.SIG_DFL)
        os.kill(os.getpid(), dying.number)
        raise
    finally:
        for number in chosen:
            signal.signal(number, signal.SIG_DFL)
