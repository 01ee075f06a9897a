"""Locks of folders in the cache: what takes long to build is built by one process at a time.

    with locked(folder, key, "the LibTorch interface"): ...
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO
from zlib import crc32

LOCKS = 8  # files, so that builds of different things seldom wait for each other
PAUSE = 0.1  # seconds between two looks at a lock


@contextmanager
def locked(folder: Path, key: str, what: str) -> Iterator[None]:
    """Keep other processes from building the same at the same time.  what: for people."""
    with (folder / f"lock-{crc32(key.encode()) % LOCKS}").open("w") as lock:
        if not _acquire(lock):
            say(f"another process is building {what}; waiting for it to end")
        # Short waits, as Ctrl-C does not end a long one in every thread.
        while not _acquire(lock):
            time.sleep(PAUSE)
        yield


def _acquire(lock: TextIO) -> bool:
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks: two builds at the same time only cost time
    return True


def say(text: str) -> None:
    """Tell the user what takes long."""
    print(f"lambent: {text}", file=sys.stderr, flush=True)
