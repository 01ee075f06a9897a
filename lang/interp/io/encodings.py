"""The encodings of text ports other than UTF-8, and what stands for text that cannot be decoded.

    decoder("latin-1")(b"na\\xefve")  =>  "naïve"

In both, every byte is a character, so reading never fails.  `runtime/ports/encoding.c` is the
counterpart.
"""

from collections.abc import Callable

# The characters of the bytes 0x80 to 0x9f in windows-1252.  The five bytes that it leaves undefined
# are control characters, as in web browsers.
_BYTES = range(0x80, 0xA0)
_FROM_BYTE = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in _BYTES}
_TO_BYTE = {ord(character): chr(byte) for byte, character in _FROM_BYTE.items()}
_HIDDEN = dict.fromkeys(_BYTES, "\u0100")  # latin-1 would encode these characters

ENCODINGS = {
    "utf-8": "utf-8", "utf8": "utf-8", "latin-1": "latin-1", "latin1": "latin-1",
    "iso-8859-1": "latin-1", "windows-1252": "windows-1252", "cp1252": "windows-1252",
}


def decoder(encoding: str) -> Callable[[bytes], str]:
    """The function from bytes to text of an encoding that is not UTF-8."""
    if encoding == "latin-1":
        return _decode_latin_1
    return lambda data: _decode_latin_1(data).translate(_FROM_BYTE)


def _decode_latin_1(data: bytes) -> str:
    return data.decode("latin-1")


def encoded(text: str, encoding: str, replace: bool) -> bytes:
    """The bytes of a text in an encoding that is not UTF-8; `?` replaces what it does not have.

    Raises UnicodeEncodeError, at the first such character, unless replace is true.
    """
    if encoding == "windows-1252":
        text = text.translate({**_HIDDEN, **_TO_BYTE})
    return text.encode("latin-1", "replace" if replace else "strict")
