"""The last line of a terminal while a progress bar is drawn there.

    train  45%|#####      | 45/100      drawn again and again, after a carriage return

The line is on the standard error.  Whatever else the program prints on the terminal erases it first
(`note`, which the output streams call), so that nothing is garbled; the next drawing puts it below.
At the program's end, and before an error's report, it is kept.  The counterpart of
`runtime/ports/status_line.c`.
"""

import os
import sys
from typing import TextIO

_USUAL_COLUMNS = 80  # of a terminal that does not say how many it has
_TO_END = "\x1b[K"  # erases the rest of the line


class _Status:
    """is_shown: the cursor is at the end of the status line.  last: the last text printed."""

    is_shown = False
    last = "\n"


STATUS = _Status()


def columns_of(stream: TextIO) -> int | None:
    """The columns of a stream's terminal; None if it is not one that can move its cursor."""
    if os.environ.get("TERM", "dumb") == "dumb" or not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except OSError:
        return _USUAL_COLUMNS


def note(text: str, stream: TextIO) -> None:
    """Called before text is written to a standard stream."""
    if STATUS.is_shown and text and stream.isatty():
        STATUS.is_shown = False
        _send("\r" + _TO_END)
    STATUS.last = text or STATUS.last


def show(text: str, is_final: bool) -> None:
    """Draw the line; a final one is kept."""
    sys.stdout.flush()
    if not STATUS.is_shown and STATUS.last[-1] != "\n":
        _send("\n")
    _send("\r" + text + _TO_END + ("\n" if is_final else ""))
    STATUS.is_shown = not is_final
    STATUS.last = "\n"


def end() -> None:
    """Keep the line, if there is one, and begin the next."""
    if STATUS.is_shown:
        STATUS.is_shown = False
        _send("\n")


def _send(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
