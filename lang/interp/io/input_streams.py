"""Sources: what has been read for a port and not taken from it yet.

    TextInput(InputFile(3, "data.txt"))  =>  text from `at` on; `fill` gets more of it

Where text is no UTF-8, what stands before is still to be had.  `builtins/ports.py` opens sources.
"""

import os
import sys
from collections.abc import Callable
from typing import NoReturn

from lambent.lang.errors import LispError, ReadFault
from lambent.lang.interp.errors.faults import fail_file, no_room
from lambent.lang.interp.interrupts.masking import frame_masked, interrupts_masked

_BYTE_ORDER_MARK = "\ufeff"  # at the head of a text file: it does not belong to the text
_CHUNK = 1 << 16  # bytes read at once
_PATIENCE = 25  # milliseconds between two looks for Ctrl-C: fewer than between its repetitions


class InputFile:
    """Where a source's bytes come from: a file, which a source closes."""

    __slots__ = ("_file", "_name")

    def __init__(self, file: int, name: str) -> None:
        self._file = file
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @frame_masked
    def more(self, who: str, wanted: int) -> bytes:
        """Some bytes, none at the end."""
        try:
            while not self.is_ready(_PATIENCE):
                pass  # Ctrl-C comes there, while nothing has been read that could be lost
            return os.read(self._file, wanted)
        except OSError as error:
            fail_file(who, "read", self._name, error)

    def is_ready(self, milliseconds: int = 0) -> bool:
        from select import POLLIN, poll

        waiting = poll()
        waiting.register(self._file, POLLIN)
        return bool(waiting.poll(milliseconds))

    def close(self) -> None:
        if self._file >= 0:
            file, self._file = self._file, -1
            os.close(file)

    def __del__(self) -> None:
        self.close()


# Called when a line of the standard input has been read: a person has ended it.
ANSWERED: list[Callable[[], None]] = []


class StandardInput(InputFile):
    """The standard input: what has been printed shows before a program waits for an answer."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0, "the input")

    @frame_masked
    def more(self, who: str, wanted: int) -> bytes:
        sys.stdout.flush()
        try:
            data = super().more(who, wanted)
        except LispError:
            return b""
        if data.endswith(b"\n"):
            for tell in ANSWERED:
                tell()
        return data

    def close(self) -> None:
        pass


class TextInput:
    """Text that has been read and not taken yet: text from at on.

    file is None for a string.  offset is how many bytes of the file are behind what has been
    decoded, and fault is whether what follows in the file is no UTF-8.
    """

    __slots__ = (
        "_column", "_counted", "_fault", "_file", "_line", "_offset", "_pending", "at",
        "folds_case", "text",
    )

    def __init__(self, file: InputFile | None, text: str = "") -> None:
        self.text = text
        self.at = 0
        self.folds_case = False  # `read` has met #!fold-case
        self._file = file
        self._pending = b""
        self._offset = 0
        self._fault = False
        self._counted = 0
        self._line = self._column = 1

    def fill(self, who: str) -> bool:
        """Get more text; False at the end."""
        size = len(self.text) - self.at
        at_end = self._file is None
        try:
            while not at_end and not self._fault and len(self.text) - self.at == size:
                at_end = not self._fill_once(who)
        except MemoryError:
            no_room(who, size + max(_CHUNK, size), "characters")
        if self._fault and len(self.text) - self.at == size:
            self._fail(who)
        return not at_end

    @frame_masked
    def _fill_once(self, who: str) -> bool:
        """The same, but it may get a part of a character only."""
        assert self._file is not None
        wanted = max(_CHUNK, len(self.text) - self.at)  # so that long lines take linear time
        data = self._file.more(who, wanted)
        self._fault = not data and bool(self._pending)
        more = self._decode(self._pending + data) if data else ""
        if more:
            self._drop_taken()
            self.text += more
        return bool(data)

    @interrupts_masked
    def _decode(self, data: bytes) -> str:
        from codecs import utf_8_decode

        try:
            text, used = utf_8_decode(data, "strict", False)
        except UnicodeDecodeError as error:
            self._fault = True
            text, used = data[: error.start].decode("utf-8"), error.start
        is_head, self._offset = self._offset == 0, self._offset + used
        self._pending = data[used:]
        return text.removeprefix(_BYTE_ORDER_MARK) if is_head else text

    def _fail(self, who: str) -> NoReturn:
        assert self._file is not None
        raise ReadFault(f"{who}: {self._file.name} is not UTF-8 text (byte {self._offset})")

    @interrupts_masked
    def _drop_taken(self) -> None:
        if self.at:
            self._count_lines()
            self.text = self.text[self.at :]
            self.at = self._counted = 0

    def _count_lines(self) -> None:
        lines = self.text.count("\n", self._counted, self.at)
        if lines:
            self._line += lines
            self._column = self.at - self.text.rindex("\n", self._counted, self.at)
        else:
            self._column += self.at - self._counted
        self._counted = self.at

    def position(self) -> tuple[int, int]:
        """The line and the column of the next character."""
        self._count_lines()
        return self._line, self._column

    def is_ready(self, who: str) -> bool:
        """Whether a character, or the end, can be taken without waiting."""
        while self.at == len(self.text) and self._file is not None and not self._fault:
            if not self._file.is_ready():
                return False
            if not self._fill_once(who):
                return True
        return True

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self.text, self.at = "", 0


class BytesInput:
    """Bytes that have been read and not taken yet: data from at on.  file is None for bytes."""

    __slots__ = ("_file", "at", "data")

    def __init__(self, file: InputFile | None, data: bytes = b"") -> None:
        self.data = data
        self.at = 0
        self._file = file

    @frame_masked
    def fill(self, who: str) -> bool:
        """Get more bytes; False at the end."""
        have = len(self.data) - self.at
        wanted = max(_CHUNK, have)
        try:
            more = self._file.more(who, wanted) if self._file is not None else b""
            if more:
                self.data = self.data[self.at :] + more
                self.at = 0
        except MemoryError:
            no_room(who, have + wanted, "bytes")
        return bool(more)

    def is_ready(self) -> bool:
        return self.at < len(self.data) or self._file is None or self._file.is_ready()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self.data, self.at = b"", 0
