"""The terminal that a session writes to: whether the prompt would begin on a line of its own.

    > (display "half a line")
    half a line
    >

What is written goes through here on its way, because a terminal cannot be asked where its cursor is
while a person may be typing.
"""

import sys
from typing import Any, TextIO, cast

from lambent.lang.interp.io.input_streams import ANSWERED


class Terminal:
    """Standard output and standard error where both the input and the output are a terminal."""

    def __init__(self) -> None:
        self._is_open = False  # whether something stands on the cursor's line
        ANSWERED.append(self.note_answer)
        sys.stdout = cast(TextIO, _Watched(sys.stdout, self))
        if sys.stderr.isatty():
            sys.stderr = cast(TextIO, _Watched(sys.stderr, self))

    @classmethod
    def of_process(cls) -> "Terminal | None":
        """The terminal, None where a person neither types nor reads."""
        return cls() if sys.stdin.isatty() and sys.stdout.isatty() else None

    def note(self, text: str) -> None:
        """Text is being written."""
        if text:
            self._is_open = text[-1] != "\n"

    def note_answer(self) -> None:
        """A person has ended a line, and the terminal has shown that."""
        self._is_open = False

    def begin_line(self) -> None:
        """End the line that has been begun, if there is one."""
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
