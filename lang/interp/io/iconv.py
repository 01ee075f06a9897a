"""Text in the encodings of the C library, by iconv.

    Converter("koi8-r", True).convert(b"\xc1", True, False, result)  =>  1: all of it

`runtime/text/conversions.c` is the counterpart.
"""

import ctypes
import errno
import re
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p
from functools import cache
from typing import Any

# A name that the C library may look up: nothing in it is a path or an option.
_NAME = re.compile(r"[a-z0-9_.:+()-]{1,39}", re.IGNORECASE | re.ASCII)
_ROOM = 4096  # bytes converted at once
_NOTHING = c_void_p(-1).value
_FAILED = c_size_t(-1).value
_UNITS = {"utf-16": 2, "ucs-2": 2, "utf-32": 4, "ucs-4": 4}
REPLACEMENT = "\ufffd".encode()


@cache
def _library() -> Any:
    library = ctypes.CDLL(None, use_errno=True)
    library.iconv_open.restype = c_void_p
    library.iconv_open.argtypes = [c_char_p, c_char_p]
    library.iconv.restype = c_size_t
    library.iconv.argtypes = [c_void_p] * 5
    library.iconv_close.restype = c_int
    library.iconv_close.argtypes = [c_void_p]
    return library


@cache
def is_encoding(name: str) -> bool:
    """Whether the C library has an encoding of that name."""
    try:
        return Converter(name, True) is not None
    except LookupError:
        return False


class Converter:
    """Between UTF-8 and an encoding of the C library.  Raises LookupError if it has none."""

    __slots__ = ("_close", "_decodes", "_iconv", "_state", "_unit", "name")

    def __init__(self, name: str, decodes: bool) -> None:
        library = _library()
        self._state: int | None = None
        self._iconv, self._close = library.iconv, library.iconv_close
        if not _NAME.fullmatch(name):
            raise LookupError(name)
        self.name = name.lower()
        encoding = self.name.encode()
        state = library.iconv_open(*((b"UTF-8", encoding) if decodes else (encoding, b"UTF-8")))
        if state == _NOTHING:
            raise LookupError(name)
        self._state = state
        self._decodes = decodes
        units = [size for start, size in _UNITS.items() if self.name.startswith(start)]
        self._unit = units[0] if units and decodes else 1

    def __del__(self) -> None:
        if self._state is not None:
            self._close(self._state)

    def convert(self, data: bytes, at_end: bool, replaces: bool, result: bytearray) -> int:
        """Add what the data stands for to the result.  Returns how many bytes were converted: not
        all of them where they are not text, and, unless at_end, where the last ones are part of a
        character."""
        at = 0
        while True:
            used, reason = self._convert(data[at:], result)
            at += used
            if not reason:
                break
            if at == len(data) or (reason == errno.EINVAL and not at_end) or not replaces:
                return at
            at += self._bad_size(data, at)
            if self._decodes:
                result += REPLACEMENT
            else:
                self._convert(b"?", result)
        if at_end:
            self._call(None, result)
        return at

    def _convert(self, data: bytes, result: bytearray) -> tuple[int, int]:
        """How many bytes were converted, and why no more: EILSEQ, EINVAL or 0."""
        source = ctypes.create_string_buffer(data, len(data))
        left = c_size_t(len(data))
        start = c_void_p(ctypes.addressof(source))
        while True:
            reason = self._call((start, left), result)
            if reason != errno.E2BIG:
                return len(data) - left.value, reason

    def _call(self, source: tuple[c_void_p, c_size_t] | None, result: bytearray) -> int:
        room = ctypes.create_string_buffer(_ROOM)
        end, free = c_void_p(ctypes.addressof(room)), c_size_t(_ROOM)
        ctypes.set_errno(0)
        where = (None, None) if source is None else (byref(source[0]), byref(source[1]))
        status = self._iconv(self._state, *where, byref(end), byref(free))
        result += room.raw[: _ROOM - free.value]
        return ctypes.get_errno() if status == _FAILED else 0

    def _bad_size(self, data: bytes, at: int) -> int:
        """How many bytes are left out: those of a character where it encodes."""
        if self._decodes:
            return min(self._unit, len(data) - at)
        for size in range(1, 5):
            try:
                data[at : at + size].decode()
            except UnicodeDecodeError:
                continue
            return size
        return 1
