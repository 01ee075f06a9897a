"""Ports: opening and closing them, and moving text between them and files.

What programs write is in `writing`, what they read in `reading`.
"""

import os
import stat
import sys
from _weakref import ref
from contextlib import suppress
from typing import Any, NoReturn

from lambent.lang.errors import FileFault, LispError, ReadFault
from lambent.lang.interp.builtins.data import truth
from lambent.lang.interp.faults import wrong_type
from lambent.lang.interp.printing import written
from lambent.lang.interp.values import (
    ABSENT,
    EOF,
    FALSE,
    UNSPECIFIED,
    Boolean,
    Bytes,
    Lisp,
    Port,
    String,
    boolean,
)

_CHUNK = 1 << 16  # bytes read at once
_FLUSH_FROM = 1 << 15  # characters that wait to be written at most
_PATIENCE = 25  # milliseconds between two looks for Ctrl-C: fewer than between its repetitions
_NEW_FILE_MODE = 0o666

_STANDARD_INPUT, _STANDARD_OUTPUT = 0, 1

# Sinks.


class OutputSink:
    """The standard output; what cannot be written there is the end's to report."""

    __slots__ = ()

    def put(self, text: str) -> None:
        sys.stdout.write(text)

    def flush(self, who: str) -> None:
        sys.stdout.flush()

    def close(self, who: str) -> None:
        self.flush(who)


class ErrorSink:
    """The standard error, to which everything goes at once."""

    __slots__ = ()

    def put(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def flush(self, who: str) -> None:
        pass

    def close(self, who: str) -> None:
        pass


class StringSink:
    """What is written is kept, also when the port is closed."""

    __slots__ = ("parts", "put")

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


class BytesSink:
    """What is written is kept, also when the port is closed."""

    __slots__ = ("data",)

    def __init__(self) -> None:
        self.data = bytearray()

    def put_bytes(self, who: str, data: bytes | bytearray) -> None:
        self.data += data

    def flush(self, who: str) -> None:
        pass

    def close(self, who: str) -> None:
        pass


class FileSink:
    """A file that is being written."""

    __slots__ = ("__weakref__", "_file", "_name", "_pieces", "_waiting")

    def __init__(self, file: int, name: str) -> None:
        self._file = file
        self._name = name
        self._pieces: list[bytes | bytearray] = []
        self._waiting = 0
        _OPEN[file] = ref(self)

    def put(self, text: str) -> None:
        self.put_bytes("write", text.encode("utf-8", "surrogateescape"))

    def put_bytes(self, who: str, data: bytes | bytearray) -> None:
        self._pieces.append(data)
        self._waiting += len(data)
        if self._waiting >= _FLUSH_FROM:
            self.flush(who)

    def flush(self, who: str) -> None:
        data = memoryview(b"".join(self._pieces))
        self._pieces.clear()
        self._waiting = 0
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            fail_file(who, "write", self._name, error)

    def close(self, who: str) -> None:
        try:
            self.flush(who)
        finally:
            file, self._file = self._file, -1
            del _OPEN[file]
            os.close(file)

    def __del__(self) -> None:
        if self._file >= 0:
            with suppress(LispError):  # there is nobody to tell
                self.close("close-port")


_OPEN: "dict[int, ref[FileSink]]" = {}  # by descriptor


def flush_files() -> None:
    """Send out what waits to be written to files: the process ends."""
    for found in list(_OPEN.values()):
        sink = found()
        if sink is not None:
            with suppress(LispError):
                sink.flush("close-port")


# Sources.


class File:
    """Where a source's bytes come from: a file, which a source closes."""

    __slots__ = ("_file", "_name")

    def __init__(self, file: int, name: str) -> None:
        self._file = file
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def more(self, who: str, wanted: int) -> bytes:
        """Some bytes, none at the end."""
        try:
            while not self.is_ready(_PATIENCE):
                pass  # Ctrl-C comes between two calls
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


class StandardInput(File):
    """The standard input: what has been printed shows before a program waits for an answer."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0, "the input")

    def more(self, who: str, wanted: int) -> bytes:
        sys.stdout.flush()
        try:
            return super().more(who, wanted)
        except LispError:
            return b""

    def close(self) -> None:
        pass


class TextSource:
    """Text that has been read and not taken yet: text from at on.

    file is None for a string.  offset is how many bytes of the file are behind what has been
    decoded, and fault is whether what follows in the file is no UTF-8.
    """

    __slots__ = (
        "_column", "_counted", "_fault", "_file", "_line", "_offset", "_pending", "at",
        "folds_case", "text",
    )

    def __init__(self, file: File | None, text: str = "") -> None:
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
        while not at_end and not self._fault and len(self.text) - self.at == size:
            at_end = not self._fill_once(who)
        if self._fault and len(self.text) - self.at == size:
            self._fail(who)
        return not at_end

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

    def _decode(self, data: bytes) -> str:
        from codecs import utf_8_decode

        try:
            text, used = utf_8_decode(data, "strict", False)
        except UnicodeDecodeError as error:
            self._fault = True
            text, used = data[: error.start].decode("utf-8"), error.start
        self._pending = data[used:]
        self._offset += used
        return text

    def _fail(self, who: str) -> NoReturn:
        assert self._file is not None
        raise ReadFault(f"{who}: {self._file.name} is not UTF-8 text (byte {self._offset})")

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

    def place(self) -> tuple[int, int]:
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


class ByteSource:
    """Bytes that have been read and not taken yet: data from at on.  file is None for bytes."""

    __slots__ = ("_file", "at", "data")

    def __init__(self, file: File | None, data: bytes = b"") -> None:
        self.data = data
        self.at = 0
        self._file = file

    def fill(self, who: str) -> bool:
        """Get more bytes; False at the end."""
        wanted = max(_CHUNK, len(self.data) - self.at)
        more = self._file.more(who, wanted) if self._file is not None else b""
        if more:
            self.data = self.data[self.at :] + more
            self.at = 0
        return bool(more)

    def is_ready(self) -> bool:
        return self.at < len(self.data) or self._file is None or self._file.is_ready()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self.data, self.at = b"", 0


# Which port.


STANDARD_INPUT = Port(TextSource(StandardInput()), None, False)

# What the parameters current-input-port, current-output-port and current-error-port hold, each in a
# list with its converter: what parameters are made of.
CURRENT: list[list[Lisp]] = [
    [STANDARD_INPUT, FALSE],
    [Port(None, OutputSink(), False), FALSE],
    [Port(None, ErrorSink(), False), FALSE],
]


def text_source(who: str, port: Lisp) -> TextSource:
    """What an open textual input port reads from."""
    source: TextSource = _source(who, port, False)
    return source


def byte_source(who: str, port: Lisp) -> ByteSource:
    """What an open binary input port reads from."""
    source: ByteSource = _source(who, port, True)
    return source


def _source(who: str, port: Lisp, binary: bool) -> Any:
    if port is ABSENT:
        port = CURRENT[_STANDARD_INPUT][0]
    if port.__class__ is not Port or port.source is None or port.binary is not binary:
        wrong_type(who, f"a {'binary' if binary else 'textual'} input port", port)
    if not port.is_open:
        raise LispError(f"{who}: the port is closed")
    return port.source


def is_input(x: Lisp) -> bool:
    return x.__class__ is Port and x.source is not None


def is_output(x: Lisp) -> bool:
    return x.__class__ is Port and x.sink is not None


# Opening.


def fail_file(who: str, verb: str, shown: str, error: OSError) -> NoReturn:
    raise FileFault(f"{who}: cannot {verb} {shown}: {os.strerror(error.errno or 0)}")


def _path(who: str, path: Lisp) -> str:
    if path.__class__ is not String:
        wrong_type(who, "a string", path)
    if "\0" in path.text:
        fail_file(who, "delete" if who == "delete-file" else "open", written(path), OSError(22, ""))
    return path.text


def _open(who: str, path: Lisp, flags: int) -> int:
    name = _path(who, path)
    try:
        file = os.open(name, flags | os.O_CLOEXEC, _NEW_FILE_MODE)
        if stat.S_ISDIR(os.fstat(file).st_mode):
            os.close(file)
            raise IsADirectoryError(21, "")  # only reading it would fail
    except OSError as error:
        fail_file(who, "open", written(path), error)
    return file


def open_input_file(path: Lisp) -> Port:
    file = _open("open-input-file", path, os.O_RDONLY)
    return Port(TextSource(File(file, written(path))), None, False)


def _sink(who: str, path: Lisp, append: Lisp) -> FileSink:
    flags = os.O_APPEND if truth(append) else os.O_TRUNC
    file = _open(who, path, os.O_WRONLY | os.O_CREAT | flags)
    return FileSink(file, written(path))


def open_output_file(path: Lisp, append: Lisp = FALSE) -> Port:
    return Port(None, _sink("open-output-file", path, append), False)


def open_binary_input_file(path: Lisp) -> Port:
    file = _open("open-binary-input-file", path, os.O_RDONLY)
    return Port(ByteSource(File(file, written(path))), None, True)


def open_binary_output_file(path: Lisp, append: Lisp = FALSE) -> Port:
    return Port(None, _sink("open-binary-output-file", path, append), True)


def open_input_bytevector(source: Lisp) -> Port:
    if source.__class__ is not Bytes:
        wrong_type("open-input-bytevector", "a bytevector", source)
    return Port(ByteSource(None, bytes(source.data)), None, True)


def open_output_bytevector() -> Port:
    return Port(None, BytesSink(), True)


def get_output_bytevector(port: Lisp) -> Bytes:
    if not is_output(port) or port.sink.__class__ is not BytesSink:
        wrong_type("get-output-bytevector", "a bytevector output port", port)
    return Bytes(bytearray(port.sink.data))


def open_input_string(text: Lisp) -> Port:
    if text.__class__ is not String:
        wrong_type("open-input-string", "a string", text)
    return Port(TextSource(None, text.text), None, False)


def open_output_string() -> Port:
    return Port(None, StringSink(), False)


def get_output_string(port: Lisp) -> String:
    if not is_output(port) or port.binary or port.sink.__class__ is not StringSink:
        wrong_type("get-output-string", "a string output port", port)
    return String(port.sink.text())


# Closing.


def _close(who: str, port: Port) -> Lisp:
    if port.is_open:
        port.is_open = False
        port.put = None
        if port.source is not None:
            port.source.close()
        else:
            port.sink.close(who)
    return UNSPECIFIED


def close_port(port: Lisp) -> Lisp:
    if port.__class__ is not Port:
        wrong_type("close-port", "a port", port)
    return _close("close-port", port)


def close_input_port(port: Lisp) -> Lisp:
    if not is_input(port):
        wrong_type("close-input-port", "an input port", port)
    return _close("close-input-port", port)


def close_output_port(port: Lisp) -> Lisp:
    if not is_output(port):
        wrong_type("close-output-port", "an output port", port)
    return _close("close-output-port", port)


# Questions.


def is_port(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Port)


def is_input_port(x: Lisp) -> Boolean:
    return boolean(is_input(x))


def is_output_port(x: Lisp) -> Boolean:
    return boolean(is_output(x))


def is_textual_port(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Port and not x.binary)


def is_binary_port(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Port and x.binary)


def is_input_port_open(port: Lisp) -> Boolean:
    if not is_input(port):
        wrong_type("input-port-open?", "an input port", port)
    return boolean(port.is_open)


def is_output_port_open(port: Lisp) -> Boolean:
    if not is_output(port):
        wrong_type("output-port-open?", "an output port", port)
    return boolean(port.is_open)


def eof_object() -> Lisp:
    return EOF


def is_eof_object(x: Lisp) -> Boolean:
    return boolean(x is EOF)


def port_parameter(which: Lisp, converter: Lisp) -> Lisp:
    from lambent.lang.interp.builtins.control import new_parameter, state_of

    parameter = new_parameter(CURRENT[which][0], converter)
    CURRENT[which] = state_of(parameter)
    return parameter


# Files.


def file_exists(path: Lisp) -> Boolean:
    if path.__class__ is not String:
        wrong_type("file-exists?", "a string", path)
    return boolean("\0" not in path.text and os.path.exists(path.text))  # noqa: PTH110


def delete_file(path: Lisp) -> Lisp:
    name = _path("delete-file", path)
    try:
        os.unlink(name)  # noqa: PTH108 - pathlib takes long to load
    except OSError as error:
        fail_file("delete-file", "delete", written(path), error)
    return UNSPECIFIED
