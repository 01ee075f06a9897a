"""Private folders for temporary files, which are always removed.

    with scratch_folder() as folder:     ~/.cache/lambent/scratch/x3k8w1, while the block runs
        compile into folder

The folder is locked while its process lives, and the system releases the lock when the process ends
in any way.  So an unlocked folder is from a killed process, also in containers, where process ids
repeat; the next process that creates a folder removes it.
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

# A folder is created shortly before it is locked, in much less time than this.
_SECONDS_TO_LOCK = 60
_DEADLY = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def scratch_folder(within: Path | None = None) -> Iterator[Path]:
    """A folder that is removed after the block, also if a signal ends the process.

    within: the folder to create it in, if not the cache folder, so that it is on that device.
    """
    base = ensure_folder((within or writable_folder()) / "scratch")
    with held_folder(base, "") as folder:
        yield folder


@contextmanager
def held_folder(base: Path, prefix: str) -> Iterator[Path]:
    """A new folder in another one, with a name that begins so, which is removed after the block;
    those of processes that were killed are removed first."""
    sweep(base, f"{prefix}*")
    with clean_exit_on_signals():
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
        lock = locked(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def locked(path: Path) -> int:
    """A descriptor that locks a file or folder until it is closed."""
    descriptor = os.open(path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes from doing the same in a folder of the cache at the same time."""
    descriptor = locked(folder)
    try:
        yield
    finally:
        os.close(descriptor)


def sweep(folder: Path, pattern: str) -> None:
    """Remove files of ended processes from a folder: those that are old and not locked."""
    for path in folder.glob(pattern):
        try:
            if time.time() - path.lstat().st_mtime < _SECONDS_TO_LOCK:
                continue
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            continue  # another process removed it first, or another user owns it
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        except OSError:
            pass  # its process still runs
        finally:
            os.close(descriptor)


class _Dying(BaseException):
    """A signal that ends the process; `except Exception` does not catch it."""

    def __init__(self, number: int) -> None:
        self.number = number


@contextmanager
def clean_exit_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the process, by the same signal, after `finally` blocks have run.

    Not if they are ignored (nohup) or handled already, nor outside of the main thread, which alone
    may set signal handlers.
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
