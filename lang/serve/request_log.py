"""The log of requests: a line of JSON for each, when it has ended.

    {"time": "2026-11-28T12:00:00.000Z", "id": 1, "method": "POST", "path": ..., "status": 200, ...}

It has no text of prompts and answers.
"""

import json
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from lambent.lang.errors import LispError
from lambent.lang.serve.exchanges import Exchange


class RequestLog:
    """path: of the file, to which lines are added; - is the standard error, and "" no log."""

    def __init__(self, path: str) -> None:
        self._file = _opened(path)
        self._count = 0

    def add(self, exchange: Exchange) -> None:
        """Write an exchange that has ended.  A disk that is full does not end the server."""
        if self._file is None:
            return
        self._count += 1
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json.dumps({"time": now, "id": self._count, **exchange.logged()})
        with suppress(OSError):
            self._file.write(line + "\n")
            self._file.flush()

    def close(self) -> None:
        if self._file not in (None, sys.stderr):
            with suppress(OSError):
                self._file.close()


def _opened(path: str) -> TextIO | None:
    if not path:
        return None
    if path == "-":
        return sys.stderr
    try:
        return Path(path).open("a", encoding="utf-8")
    except OSError as error:
        raise LispError(f"lambent: cannot open {path}: {error.strerror}") from None
