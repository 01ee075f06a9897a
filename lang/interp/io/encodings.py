"""The encodings of text ports other than UTF-8, and what stands for text that cannot be decoded.

    decoder("latin-1")(b"na\\xefve", True)  =>  ("naïve", 5)

Reading in them never fails: every byte is a character, or half a pair of UTF-16 is replaced.
`runtime/ports/encoding.c` is the counterpart.
"""

import codecs
from collections.abc import Callable

# The characters of the bytes 0x80 to 0x9f in windows-1252.  The five bytes that it leaves undefined
# are control characters, as in web browsers.
_BYTES = range(0x80, 0xA0)
_FROM_BYTE = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in _BYTES}
_TO_BYTE = {ord(character): chr(byte) for byte, character in _FROM_BYTE.items()}
_HIDDEN = dict.fromkeys(_BYTES, "\u0100")  # latin-1 would encode these characters

# The text of some bytes, and how many they are: an incomplete character at their end waits for
# more, unless there are none.
Decoder = Callable[[bytes, bool], tuple[str, int]]

_TAIL_MOST = 8  # bytes of a character in any encoding
UTF_8 = ("utf-8", "utf-8-sig")  # differ in what is written
MARKED = ("utf-8-sig", "utf-16")  # begin files with a byte order mark
_MARKS = {"utf-16le": b"\xff\xfe", "utf-16be": b"\xfe\xff"}

ENCODINGS = {
    "utf-8": "utf-8", "utf8": "utf-8", "utf-8-sig": "utf-8-sig", "utf-16": "utf-16",
    "utf16": "utf-16", "utf-16le": "utf-16le", "utf-16-le": "utf-16le", "utf-16be": "utf-16be",
    "utf-16-be": "utf-16be", "latin-1": "latin-1", "latin1": "latin-1",
    "iso-8859-1": "latin-1", "windows-1252": "windows-1252", "cp1252": "windows-1252",
}

OWN = frozenset(ENCODINGS.values())  # the C library has others


def decoder(encoding: str) -> Decoder:
    """The decoder of a file in an encoding that is not UTF-8."""
    if encoding == "latin-1":
        return _decode_latin_1
    if encoding == "windows-1252":
        return _decode_windows_1252
    if encoding in OWN:
        return Utf16Decoder(encoding)
    return LibraryDecoder(encoding)


def _decode_latin_1(data: bytes, final: bool) -> tuple[str, int]:
    return data.decode("latin-1"), len(data)


def _decode_windows_1252(data: bytes, final: bool) -> tuple[str, int]:
    return data.decode("latin-1").translate(_FROM_BYTE), len(data)


class LibraryDecoder:
    """By the C library; what is not text is replaced.  Raises LookupError if it has no such
    encoding."""

    __slots__ = ("_converter",)

    def __init__(self, encoding: str) -> None:
        from lambent.lang.interp.io.iconv import Converter

        self._converter = Converter(encoding, True)

    def __call__(self, data: bytes, final: bool) -> tuple[str, int]:
        result = bytearray()
        used = self._converter.convert(data, final, True, result)
        if len(data) - used > _TAIL_MOST:  # no character is that long
            used += self._converter.convert(data[used:], True, True, result)
        return result.decode(), used


class Utf16Decoder:
    """The byte order is that of the mark at the start, which is not part of the text; without one
    it is that of Windows."""

    __slots__ = ("_begun", "_encoding")

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._begun = False

    def __call__(self, data: bytes, final: bool) -> tuple[str, int]:
        mark = 0
        if not self._begun and len(data) >= 2:
            self._begun = True
            if self._encoding == "utf-16":
                big = data.startswith(_MARKS["utf-16be"])
                self._encoding = "utf-16be" if big else "utf-16le"
            mark = 2 if data.startswith(_MARKS[self._encoding]) else 0
        decode = (codecs.utf_16_be_decode if self._encoding == "utf-16be"
                  else codecs.utf_16_le_decode)
        text, used = decode(data[mark:], "replace", final)
        return text, used + mark


def encoded(text: str, encoding: str, replace: bool) -> bytes:
    """The bytes of a text in an encoding that is not UTF-8; `?` replaces what it does not have.

    Raises UnicodeEncodeError, at the first such character, unless replace is true.
    """
    if encoding.startswith("utf-16"):
        return text.encode("utf-16-be" if encoding == "utf-16be" else "utf-16-le", "replace")
    if encoding == "windows-1252":
        text = text.translate({**_HIDDEN, **_TO_BYTE})
    return text.encode("latin-1", "replace" if replace else "strict")
