"""%bytes-call: what the library asks for on bytes, as `runtime/text/bytes_calls.c` does."""

import hashlib
import os
import zlib
from collections.abc import Callable

from lambent.lang.interp.builtins.ports import word_of
from lambent.lang.interp.io.encodings import ENCODINGS, decoder, encoded
from lambent.lang.interp.io.iconv import Converter
from lambent.lang.interp.values.values import (
    FALSE,
    TRUE,
    UNSPECIFIED,
    Bytes,
    Foreign,
    Lisp,
    String,
)

_OF_BYTES = ("latin-1", "windows-1252")
_MARK = "\ufeff".encode()
_SUMS: dict[str, tuple[Callable[[bytes, int], int], int]] = {
    "crc32": (zlib.crc32, 0), "adler32": (zlib.adler32, 1),
}  # fmt: skip
_HASHES = ("md5", "sha1", "sha256", "sha512")


def bytes_call(name: Lisp, first: Lisp, second: Lisp, third: Lisp) -> Lisp:
    return _CALLS[name.name](first, second, third)


# Digests.


class Digest(Foreign):
    """A hash function, or a check sum, of the data so far."""

    __slots__ = ("_hash", "_name", "_sum")

    def __init__(self, name: str) -> None:
        self._name = name
        self._sum = _SUMS[name][1] if name in _SUMS else 0
        self._hash = None if name in _SUMS else hashlib.new(name, usedforsecurity=False)

    def __repr__(self) -> str:
        return "#<digest>"

    def add(self, data: bytes) -> None:
        if self._hash is None:
            self._sum = _SUMS[self._name][0](data, self._sum)
        else:
            self._hash.update(data)

    def result(self) -> bytes:
        return self._sum.to_bytes(4, "big") if self._hash is None else self._hash.digest()


def _digest_start(name: Lisp, *_: Lisp) -> Lisp:
    text = str(name.text)
    return Digest(text) if text in _SUMS or text in _HASHES else FALSE


def _digest_add(state: Lisp, data: Lisp, count: Lisp) -> Lisp:
    state.add(memoryview(data.data)[:count])
    return UNSPECIFIED


def _digest_end(state: Lisp, *_: Lisp) -> Lisp:
    return Bytes(bytearray(state.result()))


def _random(count: Lisp, *_: Lisp) -> Lisp:
    try:
        return Bytes(bytearray(os.urandom(count)))
    except (OSError, NotImplementedError):
        return FALSE


# Encodings.


def _decode(data: Lisp, name: Lisp, replaces: Lisp) -> Lisp:
    """The string, the index of the first byte that is not text, or #f for an unknown encoding."""
    source = bytes(data.data)
    encoding = ENCODINGS.get(word_of(name), word_of(name))
    if encoding in ("utf-8", "utf-8-sig"):
        return _decode_utf_8(source, encoding == "utf-8-sig", replaces is TRUE)
    if encoding in _OF_BYTES:
        return String(decoder(encoding)(source, True)[0])
    try:
        converter = Converter(encoding, True)
    except LookupError:
        return FALSE
    result = bytearray()
    done = converter.convert(source, True, replaces is TRUE, result)
    return String(result.decode()) if done == len(source) else done


def _decode_utf_8(source: bytes, is_marked: bool, replaces: bool) -> Lisp:
    start = len(_MARK) if is_marked and source.startswith(_MARK) else 0
    try:
        return String(source[start:].decode("utf-8", "replace" if replaces else "strict"))
    except UnicodeDecodeError as error:
        return start + error.start


def _encode(text: Lisp, name: Lisp, replaces: Lisp) -> Lisp:
    """The bytes, the index of the first character that the encoding does not have, or #f."""
    encoding = ENCODINGS.get(word_of(name), word_of(name))
    string = str(text.text)
    if encoding in ("utf-8", "utf-8-sig"):
        mark = _MARK if encoding == "utf-8-sig" else b""
        return Bytes(bytearray(mark + string.encode("utf-8", "surrogateescape")))
    if encoding in _OF_BYTES:
        try:
            return Bytes(bytearray(encoded(string, encoding, replaces is TRUE)))
        except UnicodeEncodeError as error:
            return error.start
    try:
        converter = Converter(encoding, False)
    except LookupError:
        return FALSE
    result, source = bytearray(), string.encode("utf-8", "surrogateescape")
    done = converter.convert(source, True, replaces is TRUE, result)
    if done < len(source):
        return len(source[:done].decode("utf-8", "surrogateescape"))
    return Bytes(result)


_CALLS: dict[str, Callable[..., Lisp]] = {
    "digest-start": _digest_start, "digest-add": _digest_add, "digest-end": _digest_end,
    "random": _random, "decode": _decode, "encode": _encode,
}  # fmt: skip
