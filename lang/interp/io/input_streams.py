"""Input streams: buffers of what has been read from a file and not yet taken from the port.

    TextInput(InputFile(3, "data.txt"))  =>  the text from index `at`; `fill` reads more

Text before an invalid UTF-8 sequence can still be read, and so can the text after it once its error
has been raised.  `builtins/ports.py` opens the streams.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from lambent.lang.errors import LispError, ReadFault
from lambent.lang.interp.errors.faults import fail_file, no_room
from lambent.lang.interp.interrupts.masking import frame_masked, interrupts_masked
from lambent.lang.interp.io.encodings import UTF_8, Decoder, decoder

_BYTE_ORDER_MARK = "\ufeff"  # at the start of a file; it is not part of the text
ENCODING_HINT = (
    "open the file with :invalid 'replace, or with :encoding 'latin-1, 'windows-1252 or 'utf-16"
)
_CHUNK = 1 << 16  # bytes read at once
_POLL_INTERVAL = 25  # milliseconds between two polls for Ctrl-C; a held key repeats more slowly


class InputFile:
    """A file that a stream reads and closes."""

    __slots__ = ("_file", "_name")

    def __init__(self, file: int, name: str) -> None:
        self._file = file
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @frame_masked
    def more(self, who: str, size: int) -> bytes:
        """Some bytes, none at the end."""
        try:
            while not self.is_ready(_POLL_INTERVAL):
                pass  # Ctrl-C interrupts here, where no input can be lost
            return os.read(self._file, size)
        except OSError as error:
            fail_file(who, "read", self._name, error)

    @property
    def descriptor(self) -> int:
        return self._file

    def detach(self) -> int:
        """The descriptor, which is another's from now on."""
        file, self._file = self._file, -1
        return file

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


# Called when a line of the standard input has been read: the user has pressed Enter.
ANSWERED: list[Callable[[], None]] = []


class StandardInput(InputFile):
    """The standard input; the standard output is flushed before the program waits for input."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0, "the input")

    @frame_masked
    def more(self, who: str, size: int) -> bytes:
        sys.stdout.flush()
        try:
            data = super().more(who, size)
        except LispError:
            return b""
        if data.endswith(b"\n"):
            for notify in ANSWERED:
                notify()
        return data

    def close(self) -> None:
        pass


class TextInput:
    """Text that has been read and not taken yet: text[at:].

    file is None for a string.  _offset: how many bytes of the file have been decoded.  _fault: how
    many of the bytes after those, in _pending, are not UTF-8.  _retry: bytes in _pending have not
    been decoded since, so nothing needs to be read first.
    """

    __slots__ = (
        "_column", "_counted", "_decoder", "_fault", "_file", "_line", "_offset", "_pending",
        "_replaces", "_retry", "at", "folds_case", "skips_line_feed", "text",
    )

    def __init__(self, file: InputFile | None, text: str = "") -> None:
        self.text = text
        self.at = 0
        self.folds_case = False  # `read` has read #!fold-case
        self.skips_line_feed = False  # a line has ended with the return that was last in `text`
        self._file = file
        self._pending = b""
        self._offset = 0
        self._fault = 0
        self._retry = False
        self._decoder: Decoder | None = None
        self._replaces = False
        self._counted = 0
        self._line = self._column = 1

    @property
    def descriptor(self) -> int | None:
        return None if self._file is None else self._file.descriptor

    @property
    def is_string(self) -> bool:
        """Whether all of the text is here."""
        return self._file is None

    def set_encoding(self, encoding: str, replaces: bool) -> bool:
        """Decode in another way.  False if text has been read already, or there is no file."""
        if self._file is None or self._offset or self._pending:
            return False
        self._decoder = None if encoding in UTF_8 else decoder(encoding)
        self._replaces = replaces
        return True

    def read_through(self, filtered: Callable[[InputFile], InputFile]) -> None:
        """Read another file in place of the stream's, which has just been opened."""
        if self._file is not None:
            self._file = filtered(self._file)

    @property
    def has_fault(self) -> bool:
        """Whether the bytes after the text are known not to be text."""
        return self._fault > 0

    def fill(self, who: str) -> bool:
        """Read more text; False at the end."""
        if self.read_ahead(who):
            return True
        if self._fault:
            self._fail(who)
        return False

    def read_ahead(self, who: str) -> bool:
        """Read more text; False at the end, and before bytes that are not text."""
        size = len(self.text) - self.at
        at_end = self._file is None
        try:
            while not at_end and not self._fault and len(self.text) - self.at == size:
                at_end = not self._fill_once(who)
        except MemoryError:
            no_room(who, size + max(_CHUNK, size), "characters")
        return len(self.text) - self.at > size

    @frame_masked
    def _fill_once(self, who: str) -> bool:
        """The same, but it may read only the first bytes of a character."""
        assert self._file is not None
        size = max(_CHUNK, len(self.text) - self.at)  # so that long lines take linear time
        is_new = not self._retry
        data = self._file.more(who, size) if is_new else b""
        self._retry = False
        more = self._decode(self._pending + data, is_new and not data)
        if more and self.skips_line_feed:
            self.skips_line_feed = False
            if more[0] == "\n":
                more = more[1:]
                self._drop_taken()
                self._line += 1
                self._column = 1
        if more:
            self._drop_taken()
            self.text += more
        return bool(data) or not is_new

    @interrupts_masked
    def _decode(self, data: bytes, final: bool) -> str:
        from codecs import utf_8_decode

        if self._decoder is not None:
            text, used = self._decoder(data, final)
            self._offset += used
            self._pending = data[used:]
            return text
        try:
            text, used = utf_8_decode(data, "replace" if self._replaces else "strict", final)
        except UnicodeDecodeError as error:
            self._fault = error.end - error.start
            text, used = data[: error.start].decode("utf-8"), error.start
        is_head, self._offset = self._offset == 0, self._offset + used
        self._pending = data[used:]
        return text.removeprefix(_BYTE_ORDER_MARK) if is_head else text

    def _fail(self, who: str) -> NoReturn:
        """Raise the error of bytes that are not text, which takes them and all before them."""
        assert self._file is not None
        offset = self._offset
        self.at = len(self.text)
        self._offset += self._fault
        self._pending = self._pending[self._fault :]
        self._retry = bool(self._pending)
        self._fault = 0
        raise ReadFault(
            f"{who}: {self._file.name} is not UTF-8 text (byte {offset})", hint=ENCODING_HINT
        )

    def skip_line(self, who: str) -> None:
        """Take the rest of a line that is not text."""
        while True:
            ends = (self.text.find(end, self.at) for end in "\r\n")
            if line_ends := [end for end in ends if end >= 0]:
                self.end_line(min(line_ends))
                return
            self.at = len(self.text)
            with suppress(ReadFault):
                if not self.fill(who):
                    return

    def end_line(self, end: int) -> None:
        """Take everything up to the line's end, which begins at an index."""
        self.at = end + 1
        if self.text[end] == "\r":
            if self.at < len(self.text):
                self.at += self.text[self.at] == "\n"
            else:
                self.skips_line_feed = True

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
        """The line and column of the next character."""
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
    """Bytes that have been read and not taken yet: data[at:].  file is None for a bytevector."""

    __slots__ = ("_file", "at", "data")

    def __init__(self, file: InputFile | None, data: bytes = b"") -> None:
        self.data = data
        self.at = 0
        self._file = file

    @property
    def descriptor(self) -> int | None:
        return None if self._file is None else self._file.descriptor

    def read_through(self, filtered: Callable[[InputFile], InputFile]) -> None:
        """Read another file in place of the stream's, which has just been opened."""
        if self._file is not None:
            self._file = filtered(self._file)

    @frame_masked
    def fill(self, who: str) -> bool:
        """Read more bytes; False at the end."""
        have = len(self.data) - self.at
        size = max(_CHUNK, have)
        try:
            more = self._file.more(who, size) if self._file is not None else b""
            if more:
                self.data = self.data[self.at :] + more
                self.at = 0
        except MemoryError:
            no_room(who, have + size, "bytes")
        return bool(more)

    def is_ready(self) -> bool:
        return self.at < len(self.data) or self._file is None or self._file.is_ready()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self.data, self.at = b"", 0
