"""Ports: opening, closing, predicates.

`writing.py` and `reading.py` have the primitives that write and read; `interp/io/` has the streams
behind ports.
"""

import errno
import gc
import os
import stat
import sys
from typing import Any

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.arguments import text_of
from lambent.lang.interp.builtins.lists import truth
from lambent.lang.interp.errors.faults import fail_file, no_room, wrong_type
from lambent.lang.interp.io import status_line
from lambent.lang.interp.io.encodings import ENCODINGS, OWN
from lambent.lang.interp.io.input_streams import BytesInput, InputFile, StandardInput, TextInput
from lambent.lang.interp.io.output_streams import (
    BytesOutput,
    FileOutput,
    StandardError,
    StandardOutput,
    StringOutput,
)
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.native import NATIVE
from lambent.lang.interp.values.values import (
    ABSENT,
    EOF,
    FALSE,
    TRUE,
    UNSPECIFIED,
    Boolean,
    Bytes,
    Lisp,
    Port,
    String,
    Symbol,
    boolean,
)

_NEW_FILE_MODE = 0o666
_FEW_DESCRIPTORS = 10  # below, no limit is asked for
_SPARE_DESCRIPTORS = 8

_STANDARD_INPUT = 0  # in CURRENT

if NATIVE is not None:
    NATIVE.configure_ports(Port, TextInput)

# The standard ports.


STANDARD_INPUT = Port(TextInput(StandardInput()), None, False)

# The states of the parameters current-input-port, current-output-port and current-error-port: each
# is a list of the value and the converter.
CURRENT: list[list[Lisp]] = [
    [STANDARD_INPUT, FALSE],
    [Port(None, StandardOutput(), False), FALSE],
    [Port(None, StandardError(), False), FALSE],
]


def text_input(who: str, port: Lisp) -> TextInput:
    """The stream of an open textual input port."""
    stream: TextInput = _open_input(who, port, False)
    return stream


def bytes_input(who: str, port: Lisp) -> BytesInput:
    """The stream of an open binary input port."""
    stream: BytesInput = _open_input(who, port, True)
    return stream


def _open_input(who: str, port: Lisp, binary: bool) -> Any:
    if port is ABSENT:
        port = CURRENT[_STANDARD_INPUT][0]
    if port.__class__ is not Port or port.input is None or port.binary is not binary:
        wrong_type(who, f"a {'binary' if binary else 'textual'} input port", port)
    if not port.is_open:
        raise LispError(f"{who}: the port is closed")
    return port.input


def is_input(x: Lisp) -> bool:
    return x.__class__ is Port and x.input is not None


def is_output(x: Lisp) -> bool:
    return x.__class__ is Port and x.output is not None


# Opening.


def _path(who: str, path: Lisp) -> str:
    name = text_of(who, path)
    if "\0" in name:
        fail_file(who, "delete" if who == "delete-file" else "open", written(path), OSError(22, ""))
    return name


def _open(who: str, path: Lisp, flags: int) -> int:
    name = _path(who, path)
    try:
        try:
            file = _descriptor(name, flags)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            gc.collect()  # open ports may be on cycles that nothing reaches any more
            file = _descriptor(name, flags)
        if stat.S_ISDIR(os.fstat(file).st_mode):
            os.close(file)
            raise IsADirectoryError(21, "")  # opening it succeeds, and reading would fail
    except OSError as error:
        fail_file(who, "open", written(path), error)
    return file


def _descriptor(name: str, flags: int) -> int:
    """A new descriptor of a file.  The last ones are spared for what Python loads: its modules, of
    which error messages need several."""
    file = os.open(name, flags | os.O_CLOEXEC, _NEW_FILE_MODE)
    if file >= _FEW_DESCRIPTORS:
        limit = os.sysconf("SC_OPEN_MAX")
        if file >= limit - _SPARE_DESCRIPTORS > 0:
            os.close(file)
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    return file


def open_input_file(path: Lisp, encoding: Lisp = FALSE, invalid: Lisp = FALSE) -> Port:
    file = _open("open-input-file", path, os.O_RDONLY)
    stream = TextInput(InputFile(file, written(path)))
    stream.set_encoding(*_encoding("open-input-file", encoding, invalid))
    return Port(stream, None, False)


def _encoding(who: str, encoding: Lisp, invalid: Lisp) -> tuple[str, bool]:
    """The name of an encoding, and whether what is not text is replaced."""
    word = "utf-8" if encoding is FALSE else word_of(encoding)
    name = ENCODINGS.get(word, word)
    if name not in OWN:
        from lambent.lang.interp.io.iconv import is_encoding

        if not is_encoding(name):
            expected = "an encoding such as utf-8, utf-16, latin-1 or windows-1252 for :encoding"
            wrong_type(who, expected, encoding)
    if invalid is not FALSE and word_of(invalid) not in ("replace", "error"):
        wrong_type(who, "replace or error for :invalid", invalid)
    return name, word_of(invalid) == "replace"


def word_of(x: Lisp) -> str:
    """A symbol's or a string's text in lower case; "" for other values."""
    if x.__class__ is Symbol:
        return str(x.name).lower()
    return str(x.text).lower() if x.__class__ is String else ""


def set_port_encoding(port: Lisp, encoding: Lisp, invalid: Lisp = FALSE) -> Lisp:
    who = "set-port-encoding!"
    if port.__class__ is not Port or port.binary:
        wrong_type(who, "a textual port", port)
    stream = port.input or port.output
    is_file = isinstance(stream, TextInput | FileOutput) and port.is_open
    name, replaces = _encoding(who, encoding, invalid) if is_file else ("utf-8", False)
    if not is_file or not stream.set_encoding(name, replaces):
        raise LispError(
            f"{who}: only a file that has not been read or written yet can have an encoding"
        )
    return UNSPECIFIED


def _file_output(who: str, path: Lisp, append: Lisp) -> FileOutput:
    flags = os.O_APPEND if truth(append) else os.O_TRUNC
    file = _open(who, path, os.O_WRONLY | os.O_CREAT | flags)
    return FileOutput(file, written(path))


def open_output_file(
    path: Lisp, append: Lisp = FALSE, encoding: Lisp = FALSE, invalid: Lisp = FALSE
) -> Port:
    stream = _file_output("open-output-file", path, append)
    stream.set_encoding(*_encoding("open-output-file", encoding, invalid))
    return Port(None, stream, False)


def open_binary_input_file(path: Lisp) -> Port:
    file = _open("open-binary-input-file", path, os.O_RDONLY)
    return Port(BytesInput(InputFile(file, written(path))), None, True)


def open_binary_output_file(path: Lisp, append: Lisp = FALSE) -> Port:
    return Port(None, _file_output("open-binary-output-file", path, append), True)


def gzip_port(port: Lisp, level: Lisp) -> Lisp:
    """#t: zlib is a part of Python."""
    from lambent.lang.interp.io.gzip_streams import GzipInput, compressor

    is_file = port.__class__ is Port and isinstance(
        port.input or port.output, TextInput | BytesInput | FileOutput
    )
    if not is_file:
        wrong_type("gzip", "a port of a file", port)
    if port.input is None:
        port.output.compress(compressor(level))
    else:
        port.input.read_through(GzipInput)
    return TRUE


def open_input_bytevector(source: Lisp) -> Port:
    if source.__class__ is not Bytes:
        wrong_type("open-input-bytevector", "a bytevector", source)
    return Port(BytesInput(None, bytes(source.data)), None, True)


def open_output_bytevector() -> Port:
    return Port(None, BytesOutput(), True)


def get_output_bytevector(port: Lisp) -> Bytes:
    if not is_output(port) or port.output.__class__ is not BytesOutput:
        wrong_type("get-output-bytevector", "a bytevector output port", port)
    try:
        return Bytes(bytearray(port.output.data))
    except MemoryError:
        return no_room("get-output-bytevector", len(port.output.data), "bytes")


def open_input_string(text: Lisp) -> Port:
    return Port(TextInput(None, text_of("open-input-string", text)), None, False)


def open_output_string() -> Port:
    return Port(None, StringOutput(), False)


def get_output_string(port: Lisp) -> String:
    if not is_output(port) or port.binary or port.output.__class__ is not StringOutput:
        wrong_type("get-output-string", "a string output port", port)
    try:
        return String(port.output.text())
    except MemoryError:
        return no_room("get-output-string", sum(map(len, port.output.parts)), "characters")


# Closing.


def _close(who: str, port: Port) -> Lisp:
    if port.is_open:
        port.is_open = False
        port.put = None
        if port.input is not None:
            port.input.close()
        else:
            port.output.close(who)
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


# Predicates.


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
    if port.__class__ is not Port:
        wrong_type("input-port-open?", "a port", port)
    return boolean(is_input(port) and port.is_open)


def is_output_port_open(port: Lisp) -> Boolean:
    if port.__class__ is not Port:
        wrong_type("output-port-open?", "a port", port)
    return boolean(is_output(port) and port.is_open)


def eof_object() -> Lisp:
    return EOF


def is_eof_object(x: Lisp) -> Boolean:
    return boolean(x is EOF)


def port_parameter(which: Lisp, converter: Lisp, set_: Lisp) -> Lisp:
    from lambent.lang.interp.builtins.control import new_parameter, state_of

    parameter = new_parameter(CURRENT[which][0], converter, set_)
    CURRENT[which] = state_of(parameter)
    return parameter


# Files.


def file_exists(path: Lisp) -> Boolean:
    name = text_of("file-exists?", path)
    return boolean("\0" not in name and os.path.exists(name))  # noqa: PTH110 - as below


def delete_file(path: Lisp) -> Lisp:
    name = _path("delete-file", path)
    try:
        os.unlink(name)  # noqa: PTH108 - pathlib takes long to load
    except OSError as error:
        fail_file("delete-file", "delete", written(path), error)
    return UNSPECIFIED


def rename_file(before: Lisp, after: Lisp) -> Lisp:
    old, new = text_of("rename-file", before), text_of("rename-file", after)
    try:
        if "\0" in old or "\0" in new:
            raise OSError(22, "")
        os.rename(old, new)  # noqa: PTH104 - as above
    except OSError as error:
        fail_file("rename-file", "rename", written(before), error)
    return UNSPECIFIED


# The status line.


def terminal_columns(port: Lisp) -> Lisp:
    columns = None
    if port.__class__ is Port and port.is_open:
        if port.output.__class__ is StandardOutput:
            columns = status_line.columns_of(sys.stdout)
        elif port.output.__class__ is StandardError:
            columns = status_line.columns_of(sys.stderr)
    return FALSE if columns is None else columns


def show_status(text: Lisp, final: Lisp) -> Lisp:
    status_line.show(text_of("%show-status", text), final is not FALSE)
    return UNSPECIFIED
