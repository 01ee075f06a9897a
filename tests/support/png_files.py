"""PNG files made by hand, as an independent judge of what Lambent reads and writes.

    png(samples, depth=8, colour=2)  =>  bytes, from samples [height][width][channels]
"""

import struct
import zlib
from collections.abc import Sequence

Samples = Sequence[Sequence[Sequence[int]]]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Where the seven passes of an interlaced image begin, and their steps.
_PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
           (1, 0, 2, 1))  # fmt: skip


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def header(width: int, height: int, depth: int = 8, colour: int = 0, interlace: int = 0) -> bytes:
    fields = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return chunk(b"IHDR", fields)


def png(
    samples: Samples, depth: int = 8, colour: int = 0, between: Sequence[bytes] = (),
    interlaced: bool = False,
) -> bytes:
    """between: whole chunks that stand before the pixels.  Rows take all filters in turn."""
    height, width = len(samples), len(samples[0])
    data = b"".join(_rows(part, depth) for part in _parts(samples, interlaced))
    return b"".join([
        SIGNATURE, header(width, height, depth, colour, int(interlaced)), *between,
        chunk(b"IDAT", zlib.compress(data)), chunk(b"IEND", b""),
    ])


def _parts(samples: Samples, interlaced: bool) -> list[Samples]:
    if not interlaced:
        return [samples]
    parts = [[row[left::across] for row in samples[top::down]]
             for top, left, down, across in _PASSES]  # fmt: skip
    return [part for part in parts if part and part[0]]


def _rows(samples: Samples, depth: int) -> bytes:
    size = max(1, len(samples[0][0]) * depth // 8)  # bytes of a pixel, for filters
    before = bytes(len(_packed(samples[0], depth)))
    filtered = []
    for y, row in enumerate(samples):
        line = _packed(row, depth)
        filtered.append(bytes([y % 5]) + _filtered(line, before, size, y % 5))
        before = line
    return b"".join(filtered)


def _packed(row: Sequence[Sequence[int]], depth: int) -> bytes:
    flat = [sample for pixel in row for sample in pixel]
    if depth == 16:
        return b"".join(struct.pack(">H", sample) for sample in flat)
    bits = "".join(f"{sample:0{depth}b}" for sample in flat)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[k : k + 8], 2) for k in range(0, len(bits), 8))


def _filtered(line: bytes, above: bytes, size: int, kind: int) -> bytes:
    out = []
    for k, value in enumerate(line):
        left = line[k - size] if k >= size else 0
        corner = above[k - size] if k >= size else 0
        guess = (0, left, above[k], (left + above[k]) // 2, _paeth(left, above[k], corner))[kind]
        out.append((value - guess) % 256)
    return bytes(out)


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda x: abs(guess - x))


def read_png(data: bytes) -> tuple[int, list[list[list[int]]]]:
    """The colour type and the samples of a file with 8 bits and without interlacing."""
    assert data.startswith(SIGNATURE)
    packed, at, fields = b"", len(SIGNATURE), ()
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(
            name + body
        )
        if name == b"IHDR":
            fields = struct.unpack(">IIBBBBB", body)
        packed += body if name == b"IDAT" else b""
        at += length + 12
    width, height, depth, colour, *rest = fields
    assert (depth, rest) == (8, [0, 0, 0])
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    lines, rows = zlib.decompress(packed), []
    above = bytes(width * channels)
    for y in range(height):
        start = y * (width * channels + 1)
        above = _unfiltered(lines[start + 1 : start + 1 + width * channels], above, channels,
                            lines[start])
        rows.append([list(above[k : k + channels]) for k in range(0, len(above), channels)])
    return colour, rows


def _unfiltered(line: bytes, above: bytes, size: int, kind: int) -> bytes:
    out: list[int] = []
    for k, value in enumerate(line):
        left = out[k - size] if k >= size else 0
        corner = above[k - size] if k >= size else 0
        guess = (0, left, above[k], (left + above[k]) // 2, _paeth(left, above[k], corner))[kind]
        out.append((value + guess) % 256)
    return bytes(out)
