"""Output streams: the destinations of output ports, with their buffers.

`put` writes text to a textual stream, `put_bytes` writes bytes to a binary one; files have both.
`builtins/ports.py` opens them.
"""

import os
import sys
from _weakref import ref
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from lambent.lang.errors import LispError
from lambent.lang.interp.errors.faults import fail_file
from lambent.lang.interp.interrupts.masking import interrupts_masked
from lambent.lang.interp.io.encodings import MARKED, OWN, UTF_8, encoded
from lambent.lang.interp.io.status_line import end as end_status_line
from lambent.lang.interp.io.status_line import note

if TYPE_CHECKING:
    import zlib

    from lambent.lang.interp.io.iconv import Converter

_BUFFER_SIZE = 1 << 15  # bytes; a fuller buffer is flushed


class StandardOutput:
    """The standard output; errors of writing are reported at the end of the process."""

    __slots__ = ()
    descriptor = 1

    def put(self, text: str) -> None:
        note(text, sys.stdout)
        sys.stdout.write(text)

    def flush(self, who: str) -> None:
        sys.stdout.flush()

    def close(self, who: str) -> None:
        self.flush(who)


class StandardError:
    """The standard error, which is not buffered."""

    __slots__ = ()
    descriptor = 2

    def put(self, text: str) -> None:
        note(text, sys.stderr)
        sys.stderr.write(text)
        sys.stderr.flush()

    def flush(self, who: str) -> None:
        pass

    def close(self, who: str) -> None:
        pass


class StringOutput:
    """Keeps the text that is written, also after the port is closed."""

    __slots__ = ("parts", "put")
    descriptor = None

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.put = self.parts.append

    def text(self) -> str:
        text = "".join(self.parts)
        self.parts[:] = [text]
        return text

    def flush(self, who: str) -> None:
        pass

    def close(self, who: str) -> None:
        pass


class BytesOutput:
    """Keeps the bytes that are written, also after the port is closed."""

    __slots__ = ("data",)
    descriptor = None

    def __init__(self) -> None:
        self.data = bytearray()

    def put_bytes(self, who: str, data: bytes | bytearray) -> None:
        self.data += data

    def flush(self, who: str) -> None:
        pass

    def close(self, who: str) -> None:
        pass


class FileOutput:
    """A file that is being written."""

    __slots__ = (
        "__weakref__", "_compressor", "_converter", "_encoding", "_file", "_mark_due", "_name",
        "_pieces", "_replaces", "_waiting", "_written",
    )

    def __init__(self, file: int, name: str) -> None:
        self._file = file
        self._name = name
        self._pieces: list[bytes | bytearray] = []
        self._waiting = 0
        self._written = False
        self._encoding, self._replaces = "utf-8", False
        self._mark_due = False
        self._compressor: zlib._Compress | None = None
        self._converter: Converter | None = None
        _OPEN[file] = ref(self)

    @property
    def descriptor(self) -> int:
        return self._file

    def compress(self, compressor: "zlib._Compress") -> None:
        """Compress what is written from now on."""
        self._compressor = compressor

    def put(self, text: str) -> None:
        if self._mark_due and text:
            self._mark_due = False
            self.put_bytes("write", self._encoded("\ufeff"))
        self.put_bytes("write", self._encoded(text))

    def _encoded(self, text: str) -> bytes:
        if self._encoding in UTF_8:
            return text.encode("utf-8", "surrogateescape")
        if self._converter is not None:
            return self._converted(text, self._converter)
        try:
            return encoded(text, self._encoding, self._replaces)
        except UnicodeEncodeError as error:
            self._fail_character(text[error.start])

    def _fail_character(self, character: str) -> NoReturn:
        raise LispError(
            f"write: {self._name} cannot hold {character}: its encoding is {self._encoding}"
        ) from None

    def _converted(self, text: str, converter: "Converter") -> bytes:
        result, source = bytearray(), text.encode("utf-8", "surrogateescape")
        done = converter.convert(source, False, self._replaces, result)
        if done < len(source):
            self._fail_character(text[len(source[:done].decode("utf-8", "surrogateescape"))])
        return bytes(result)

    def set_encoding(self, encoding: str, replaces: bool) -> bool:
        """Encode in another way.  False if something has been written already."""
        if self._waiting or self._written:
            return False
        self._encoding, self._replaces = encoding, replaces
        self._converter = None
        if encoding not in OWN:
            from lambent.lang.interp.io.iconv import Converter

            self._converter = Converter(encoding, False)
        self._mark_due = encoding in MARKED and os.fstat(self._file).st_size == 0
        return True

    def put_bytes(self, who: str, data: bytes | bytearray) -> None:
        self._pieces.append(data)
        self._waiting += len(data)
        if self._waiting >= _BUFFER_SIZE:
            self.flush(who)

    def flush(self, who: str) -> None:
        self._write(who, False)

    def finish(self, who: str) -> None:
        """Flush for the last time."""
        self._write(who, True)

    @interrupts_masked
    def _write(self, who: str, is_last: bool) -> None:
        data = memoryview(b"".join(self._pieces))
        if self._compressor is not None:
            compressed = self._compressor.compress(data)
            data = memoryview(compressed + (self._compressor.flush() if is_last else b""))
        self._written = self._written or bool(data)
        self._pieces.clear()
        self._waiting = 0
        try:
            while data:
                data = data[self._write_some(data) :]
        except OSError as error:
            fail_file(who, "write", self._name, error)

    def _write_some(self, data: memoryview) -> int:
        return os.write(self._file, data)

    @interrupts_masked
    def close(self, who: str) -> None:
        try:
            self.finish(who)
        finally:
            file, self._file = self._file, -1
            del _OPEN[file]
            os.close(file)

    def __del__(self) -> None:
        if self._file >= 0:
            with suppress(LispError):  # a finalizer cannot report it
                self.close("close-port")


class PipeOutput(FileOutput):
    """A pipe to a process, which may end before it has read all."""

    __slots__ = ()

    def _write_some(self, data: memoryview) -> int:
        return write_to_pipe(self._file, data)


def write_to_pipe(file: int, data: bytes | memoryview) -> int:
    """os.write, but without the signal if nobody reads any more: a BrokenPipeError instead."""
    from signal import SIG_BLOCK, SIG_SETMASK, SIGPIPE, pthread_sigmask, sigpending, sigwait

    before = pthread_sigmask(SIG_BLOCK, {SIGPIPE})
    try:
        return os.write(file, data)
    except BrokenPipeError:
        if SIGPIPE in sigpending():
            sigwait({SIGPIPE})
        raise
    finally:
        pthread_sigmask(SIG_SETMASK, before)


_OPEN: "dict[int, ref[FileOutput]]" = {}  # by descriptor


def flush_files() -> None:
    """Flush all open files: the process ends."""
    end_status_line()
    for stream in list(_OPEN.values()):
        output = stream()
        if output is not None:
            with suppress(LispError):
                output.finish("close-port")
