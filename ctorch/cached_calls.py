"""Calls of operators that fit a schema, cached beside the built library.

The check before a run binds calls that look unusual, and loading LibTorch for that takes longer
than the rest of the check.  Whether a call fits depends on its text only, so one that has fitted
once is looked up here the next time:

    (tensor-reshape #<unknown> (-1 1 8 8))
"""

import contextlib
import os
from functools import cache
from pathlib import Path

from lambent.ctorch.cached_operators import built_folder

_FILE = "fitting-calls"
_MOST_BYTES = 1 << 20  # the calls in a longer file are all forgotten, and bound again


@cache
def fitting_calls() -> set[str]:
    """The calls that are known to fit, as text; none if the library has not been built."""
    path = _path()
    with contextlib.suppress(OSError):
        if path is not None and path.stat().st_size > _MOST_BYTES:
            path.unlink()
        elif path is not None:
            return set(path.read_text(encoding="utf-8", errors="replace").split("\n"))
    return set()


def cache_fitting_call(text: str) -> None:
    """Cache a call that fits; without its line the next process binds it again."""
    path = _path()
    if path is None or "\n" in text or text in fitting_calls():
        return
    fitting_calls().add(text)
    with contextlib.suppress(OSError, UnicodeError):
        line = f"{text}\n".encode()
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line)  # at once: other processes may append, too
        finally:
            os.close(file)


def _path() -> Path | None:
    folder = built_folder()
    return None if folder is None else folder / _FILE
