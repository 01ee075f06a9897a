"""The terminal of a session: tracks whether the cursor is at the start of a line.

    > (display "half a line")
    half a line
    >

All output passes through here, because a terminal cannot be asked for its cursor's position while
the user may be typing.
"""

import sys
from typing import Any, TextIO, cast

from lambent.lang.interp.io.input_streams import ANSWERED
from lambent.lang.interp.io.status_line import end as end_status_line


class Terminal:
    """Standard output and standard error where both the input and the output are a terminal."""

    def __init__(self) -> None:
        self._is_open = False  # whether the cursor's line has text
        ANSWERED.append(self.note_answer)
        sys.stdout = cast(TextIO, _Watched(sys.stdout, self))
        if sys.stderr.isatty():
            sys.stderr = cast(TextIO, _Watched(sys.stderr, self))

    @classmethod
    def of_process(cls) -> "Terminal | None":
        """The terminal; None if the input or the output is not one."""
        return cls() if sys.stdin.isatty() and sys.stdout.isatty() else None

    def note(self, text: str) -> None:
        """Called when text is written."""
        if text:
            self._is_open = text[-1] != "\n"

    def note_answer(self) -> None:
        """Called when the user has pressed Enter, which the terminal has shown."""
        self._is_open = False

    def begin_line(self) -> None:
        """Begin a new line, unless the cursor is at the start of one."""
        end_status_line()
        if self._is_open:
            sys.stdout.write("\n")
        sys.stdout.flush()


class _Watched:
    """A stream that tells the terminal what is written to it."""

    def __init__(self, stream: TextIO, terminal: Terminal) -> None:
        self._stream = stream
        self._terminal = terminal

    def write(self, text: str) -> int:
        self._terminal.note(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
