"""Files whose bytes are compressed: RFC 1952, by zlib.

A file may have several members, one after another: their contents are one text.  A file without
any bytes has none.  `runtime/ports/gzip.c` is the counterpart.
"""

import zlib
from typing import NoReturn

from lambent.lang.errors import FileFault
from lambent.lang.interp.interrupts.masking import frame_masked
from lambent.lang.interp.io.input_streams import InputFile

_MEMBER_BITS = zlib.MAX_WBITS + 16  # the largest window, and the header of gzip
_MEMORY_LEVEL = 8
_MAGIC = b"\x1f\x8b"


class GzipInput(InputFile):
    """A compressed file that a stream reads; it takes over the descriptor of another."""

    __slots__ = ("_any", "_member", "_raw")

    def __init__(self, file: InputFile) -> None:
        super().__init__(file.detach(), file.name)
        self._member: zlib._Decompress | None = None
        self._raw = b""  # of the file, not decompressed yet
        self._any = False  # a member has ended

    @frame_masked
    def more(self, who: str, size: int) -> bytes:
        data = b""
        while not data:
            if not self._raw:
                self._raw = super().more(who, size)
                if not self._raw and self._member is None:
                    return b""
            at_end = not self._raw
            data = self._decompressed(who, size)
            if at_end and not data and self._member is not None:
                self._fail(who, "its compressed data is cut off")
        return data

    def _decompressed(self, who: str, size: int) -> bytes:
        """Some bytes, perhaps none, of what has been read."""
        is_first = self._member is None and not self._any
        if self._member is None:
            self._member = zlib.decompressobj(_MEMBER_BITS)
        member, raw = self._member, self._raw
        try:
            data = member.decompress(raw, size)
        except zlib.error:
            is_gzip = not is_first or _MAGIC.startswith(raw[:2])
            self._fail(who, "its compressed data is damaged" if is_gzip
                       else "it is not a gzip file")
        self._raw = member.unused_data if member.eof else member.unconsumed_tail
        if member.eof:
            self._member, self._any = None, True
        return data

    def _fail(self, who: str, reason: str) -> NoReturn:
        raise FileFault(f"{who}: cannot read {self._name}: {reason}")

    def is_ready(self, milliseconds: int = 0) -> bool:
        return bool(self._raw) or super().is_ready(milliseconds)


def compressor(level: int) -> "zlib._Compress":
    """What compresses the bytes of a file."""
    return zlib.compressobj(level, zlib.DEFLATED, _MEMBER_BITS, _MEMORY_LEVEL)
