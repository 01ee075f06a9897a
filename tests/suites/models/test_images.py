"""Images: files that are read and written, damaged and hostile files, grids, sizes.

The judges are the PNG format itself (tests/support/png_files.py) and torch's interpolate.
"""

import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.support.png_files import SIGNATURE, Samples, chunk, header, png, read_png
from tests.support.programs_run import command_of, run
from tests.support.saved_tensors import assert_close, saved_by

# Loads each file that a list names; an error is printed instead.
LOADING = """
(define loaded
  (append-map
   (lambda (name)
     (guard (e (#t (print name (error-object-message e)) '()))
       (list (cons name (load-image name)))))
   (read-lines "names.txt")))
(save-tensors "out.safetensors" loaded)
"""

RANDOM = random.Random(12)


def samples(height: int, width: int, channels: int, depth: int) -> list[list[list[int]]]:
    return [[[RANDOM.randrange(1 << depth) for _ in range(channels)] for _ in range(width)]
            for _ in range(height)]  # fmt: skip


def to_8_bits(given: Samples, depth: int) -> torch.Tensor:
    """Samples as a tensor [c, h, w], rounded."""
    most = (1 << depth) - 1
    rounded = torch.round(torch.tensor(given, dtype=torch.float64) * 255 / most)
    return rounded.to(torch.uint8).permute(2, 0, 1)


def good_files() -> dict[str, tuple[bytes, torch.Tensor]]:
    """Files, and what they hold."""
    files: dict[str, tuple[bytes, torch.Tensor]] = {}
    for colour, channels, depths in ((0, 1, (1, 2, 4, 8, 16)), (2, 3, (8, 16)),
                                     (4, 2, (8, 16)), (6, 4, (8, 16))):  # fmt: skip
        for depth in depths:
            for interlaced in (False, True)[: 1 if depth == 16 else 2]:
                given = samples(11, 7, channels, depth)
                name = f"colour{colour}-{depth}{'-interlaced' if interlaced else ''}.png"
                files[name] = (png(given, depth, colour, (), interlaced), to_8_bits(given, depth))
    palette = [[RANDOM.randrange(256) for _ in range(3)] for _ in range(16)]
    entries = chunk(b"PLTE", bytes(v for entry in palette for v in entry))
    for depth in (1, 2, 4, 8):
        given = [[[v[0] % 16] for v in row] for row in samples(6, 9, 1, depth)]
        colours = [[palette[v[0]] for v in row] for row in given]
        files[f"palette-{depth}.png"] = (png(given, depth, 3, [entries]), to_8_bits(colours, 8))
    given = [[[k] for k in range(4)]]
    clear = [[[*palette[k], (10, 200, 255, 255)[k]] for k in range(4)]]
    files["palette-clear.png"] = (
        png(given, 8, 3, [entries, chunk(b"tRNS", bytes([10, 200]))]), to_8_bits(clear, 8),
    )
    given = [[[5, 6, 7], [1, 2, 3]]]
    files["colour-clear.png"] = (
        png(given, 8, 2, [chunk(b"tRNS", b"\0\5\0\6\0\7")]),
        to_8_bits([[[5, 6, 7, 0], [1, 2, 3, 255]]], 8),
    )
    # A gamma, remarks and unknown chunks that may be ignored do not change the samples.
    given = samples(3, 3, 3, 8)
    remarks = [chunk(b"gAMA", (100000).to_bytes(4, "big")), chunk(b"tEXt", b"a\0b"),
               chunk(b"quIt", b"?"), chunk(b"iCCP", b"x\0\0" + zlib.compress(b"no profile"))]
    files["remarks.png"] = (png(given, 8, 2, remarks), to_8_bits(given, 8))
    given = samples(4, 5, 3, 8)
    flat = [v for row in given for pixel in row for v in pixel]
    files["bytes.ppm"] = (b"P6\n# a remark\n5 4\n255\n" + bytes(flat), to_8_bits(given, 8))
    words = " ".join(map(str, flat)).encode()
    files["text.ppm"] = (b"P3 5 4 255\n" + words, to_8_bits(given, 8))
    deep = samples(2, 3, 1, 16)
    pairs = b"".join(v[0].to_bytes(2, "big") for row in deep for v in row)
    files["deep.pgm"] = (b"P5 3 2 65535\n" + pairs, to_8_bits(deep, 16))
    files["four.pgm"] = (b"P2 2 1 3 0 2", torch.tensor([[[0, 170]]], dtype=torch.uint8))
    return files


def hostile_files() -> dict[str, tuple[bytes, str]]:
    """Files, and what their error says after their name."""
    good = png(samples(20, 20, 3, 8), 8, 2)
    pixels = chunk(b"IDAT", zlib.compress(bytes(1000)))
    end = chunk(b"IEND", b"")
    damaged = bytearray(good)
    damaged[60] ^= 1
    return {
        "empty.png": (b"", "it is not an image"),
        "text.png": (b"hello", "it is not an image"),
        "photo.png": (b"GIF89a....", "it is a GIF image"),
        "cut.png": (good[:200], "cut off"),
        "no-end.png": (good[:-12], "the PNG image is cut off: its end is missing"),
        "flipped.png": (bytes(damaged), 'the chunk "IDAT" of the PNG image is damaged'),
        "huge.png": (SIGNATURE + header(2**31 - 1, 2**31 - 1, 16, 6) + pixels + end,
                     "cannot hold them"),
        "large.png": (SIGNATURE + header(50000, 50000) + pixels + end,
                      "the PNG image claims 50000 x 50000 pixels"),
        "zero.png": (SIGNATURE + header(0, 5) + pixels + end, "damaged PNG image"),
        "depth.png": (SIGNATURE + header(9, 9, 3) + pixels + end, "damaged PNG image"),
        "colour.png": (SIGNATURE + header(9, 9, 8, 5) + pixels + end, "damaged PNG image"),
        "few.png": (SIGNATURE + header(99, 99) + pixels + end, "damaged PNG image"),
        "deep-interlaced.png": (png(samples(9, 9, 1, 16), 16, 0, (), True),
                                "it is an interlaced PNG image with 16 bits a sample"),
        "headless.png": (SIGNATURE + pixels + end, "does not begin with its header"),
        "palette.png": (SIGNATURE + header(9, 9, 8, 3) + pixels + end, "damaged PNG image"),
        "critical.png": (SIGNATURE + header(9, 9) + chunk(b"WHAT", b"") + pixels + end,
                         "has an unknown chunk"),
        "long.png": (SIGNATURE + header(9, 9) + b"\xff\xff\xff\xffIDATxxxxxxxxxxxx", "is cut off"),
        "huge.ppm": (b"P6 99999999 99999999 255\n", "claims 99999999 x 99999999 pixels"),
        "wide.pgm": (b"P5 9999999999 9999999999 255\n", "pixels, the file has 29 bytes"),
        "cut.ppm": (b"P6 2 2 255\n12345", "its samples take 12 bytes"),
        "letters.ppm": (b"P3 1 1 255 1 x 3", "expected a sample"),
        "no-size.pgm": (b"P5 x", "expected the width"),
        "most.pgm": (b"P5 1 1 0 1", "a greatest sample from 1 to 65535"),
        "zero.pgm": (b"P5 0 0 255 ", "no image has 0 x 0 pixels"),
    }


def damaged_files() -> dict[str, bytes]:
    """Images with changed bytes and right checks: some can be read, none may crash."""
    files = {}
    given = samples(9, 9, 3, 8)
    fields = bytearray((9).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0]))
    packed = zlib.compress(b"".join(
        bytes([0]) + bytes(v for pixel in row for v in pixel) for row in given))  # fmt: skip
    for k in range(80):
        top, pixels = bytearray(fields), bytearray(packed)
        target = top if k % 4 == 0 else pixels
        target[RANDOM.randrange(len(target))] = RANDOM.randrange(256)
        files[f"damaged{k}.png"] = (
            SIGNATURE + chunk(b"IHDR", bytes(top)) + chunk(b"IDAT", bytes(pixels))
            + chunk(b"IEND", b"")
        )  # fmt: skip
    return files


def test_files(back_end: str, tmp_path: Path) -> None:
    good, hostile, damaged = good_files(), hostile_files(), damaged_files()
    contents = {name: data for name, (data, _) in [*good.items(), *hostile.items()]} | damaged
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "names.txt").write_text("\n".join(contents) + "\n")
    outcome = run(command_of(LOADING, back_end, tmp_path), tmp_path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
    found = load_file(tmp_path / "out.safetensors")
    for name, (_, expected) in good.items():
        assert torch.equal(found[name], expected), name
    errors = dict(line.split(" ", 1) for line in outcome.output.splitlines())
    for name, (_, message) in hostile.items():
        assert errors.get(name, "").startswith(f'load-image: "{name}"'), name
        assert message in errors[name]
    assert found.keys() | errors.keys() == set(contents)
    for name in damaged:
        assert name not in errors or "damaged PNG" in errors[name] or "claims" in errors[name], name


SAVING = """
(define (pixels c) (tensor-to (tensor-reshape (tensor-arange 0 (* c 6)) (list c 2 3)) 'uint8))
(for-each (lambda (c) (save-image (string "saved" c ".png") (pixels c))) '(1 2 3 4))
(save-image "saved3.PPM" (pixels 3))
(save-image "saved.pgm" (tensor-select (pixels 1) 0 0))
(save-image "floats.png" (tensor '((-1.0 0.0 0.25) (0.5 1.0 2.0))))
(save-image "odd.png" (tensor (list (list (/ 0. 0.) (/ 1. 0.) (/ -1. 0.)))))
(save-image "bool.png" [[#t #f]])
(save-image "strided.png" (tensor-transpose (pixels 3) 1 2))
(save-image "grad.png" (requires-grad! [[0.5 1.0]]))
(save-image "half.png" (tensor [[0.5 1.0]] :dtype 'float16))
"""


def test_saving(back_end: str, tmp_path: Path) -> None:
    outcome = run(command_of(SAVING, back_end, tmp_path), tmp_path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")

    def saved(name: str) -> tuple[int, list[list[list[int]]]]:
        return read_png((tmp_path / name).read_bytes())

    for c in (1, 2, 3, 4):
        wanted = torch.arange(c * 6).reshape(c, 2, 3).permute(1, 2, 0).tolist()
        assert saved(f"saved{c}.png") == ({1: 0, 2: 4, 3: 2, 4: 6}[c], wanted)
    wanted = torch.arange(18).reshape(3, 2, 3)
    flat = bytes(wanted.permute(1, 2, 0).flatten().tolist())
    assert (tmp_path / "saved3.PPM").read_bytes() == b"P6\n3 2\n255\n" + flat
    assert (tmp_path / "saved.pgm").read_bytes() == b"P5\n3 2\n255\n" + bytes(range(6))
    assert saved("floats.png") == (0, [[[0], [0], [64]], [[128], [255], [255]]])
    assert saved("odd.png") == (0, [[[0], [255], [0]]])
    assert saved("bool.png") == (0, [[[255], [0]]])
    assert saved("strided.png")[1] == wanted.transpose(1, 2).permute(1, 2, 0).tolist()
    assert saved("grad.png") == saved("half.png") == (0, [[[128], [255]]])


Row = tuple[str, Callable[[torch.Tensor], torch.Tensor]]

# x is [5, 3, 6, 4], from 0 to 1.
OPERATIONS: dict[str, Row] = {
    "grid": ("(image-grid x :columns 3 :padding 1 :value 0.5)", lambda x: grid(x, 3, 1, 0.5)),
    "row": ("(image-grid x)", lambda x: grid(x, 8, 2, 0)),
    "list": ("(image-grid (list (tensor-ref x 0) (tensor-ref x 1)) :padding 0)",
             lambda x: torch.cat([x[0], x[1]], 2)),
    "grey": ("(image-grid (tensor-select x 1 0) :columns 2)", lambda x: grid(x[:, :1], 2, 2, 0)),
    "normal": ("(image-grid (- (* 7 x) 2) :normalize #t)",
               lambda x: grid((x - x.min()) / (x.max() - x.min()), 8, 2, 0)),
    "smaller": ("(resize-image (tensor-ref x 0) 3 2)", lambda x: resized(x[0], 3, 2, True)),
    "larger": ('(resize-image (tensor-ref x 0) 9 7 :mode "bicubic")',
               lambda x: resized(x[0], 9, 7, True, "bicubic")),
    "area": ('(resize-image (tensor-ref x 0 0) 2 2 :mode "area")',
             lambda x: resized(x[0, :1], 2, 2, False, "area")[0]),
    "bytes": ("(resize-image (tensor-to (* 255 (tensor-ref x 0)) 'uint8) 5 5)",
              lambda x: resized((255 * x[0]).to(torch.uint8).float(), 5, 5, True)
              .round().clamp(0, 255).to(torch.uint8)),
}  # fmt: skip


def resized(
    x: torch.Tensor, height: int, width: int, antialias: bool, mode: str = "bilinear"
) -> torch.Tensor:
    made = torch.nn.functional.interpolate(
        x[None], (height, width), mode=mode, antialias=antialias
    )
    return made[0]


def grid(x: torch.Tensor, columns: int, padding: int, value: float) -> torch.Tensor:
    """Written another way: padded images, glued together."""
    columns = min(columns, len(x))
    pad = torch.nn.functional.pad
    cells = [pad(image, (padding, 0, padding, 0), value=value) for image in x]
    cells += [torch.full_like(cells[0], value)] * (-len(cells) % columns)
    rows = [torch.cat(cells[k : k + columns], 2) for k in range(0, len(cells), columns)]
    return pad(torch.cat(rows, 1), (0, padding, 0, padding), value=value)


def test_operations(back_end: str, tmp_path: Path) -> None:
    x = torch.rand(5, 3, 6, 4, generator=torch.Generator().manual_seed(1))
    save_file({"x": x}, tmp_path / "x.safetensors")
    colours = samples(5, 6, 3, 8)
    (tmp_path / "colours.png").write_bytes(png(colours, 8, 2))
    (tmp_path / "clear.png").write_bytes(png(samples(2, 2, 2, 8), 8, 4))
    rows = [f'(cons "{name}" {text})' for name, (text, _) in OPERATIONS.items()]
    rows += [f'(cons "channels{n}" (load-image "colours.png" :channels {n}))' for n in (1, 3, 4)]
    rows += ['(cons "opaque" (load-image "clear.png" :channels 1))',
             '(cons "clear" (load-image "clear.png" :channels 4))',
             '(cons "as-it-is" (load-image "clear.png"))']  # fmt: skip
    text = ('(define x (hash-ref (load-tensors "x.safetensors") "x"))\n'
            f'(save-tensors "out.safetensors" (list {" ".join(rows)}))')  # fmt: skip
    found = saved_by(text, back_end, tmp_path)
    given = torch.tensor(colours, dtype=torch.uint8).permute(2, 0, 1)
    weights = torch.tensor([19595, 38470, 7471])
    grey = ((weights @ given.reshape(3, -1).long() + 32768) >> 16).reshape(1, 5, 6)
    clear = found.pop("as-it-is")
    expected = {name: make(x) for name, (_, make) in OPERATIONS.items()} | {
        "channels1": grey.to(torch.uint8),
        "channels3": given,
        "channels4": torch.cat([given, torch.full_like(given[:1], 255)]),
        "opaque": clear[:1],
        "clear": torch.cat([clear[:1]] * 3 + [clear[1:]]),
    }
    assert_close({name: found[name] for name in expected}, expected)
    assert set(found) == set(expected)


def test_without_libpng(back_end: str, tmp_path: Path) -> None:
    """A library of that name that cannot be loaded stands before the real one."""
    for name in ("libpng16.so.16", "libpng16.so"):
        (tmp_path / name).write_text("nothing")
    text = '(save-image "a.ppm" (tensor-zeros 3 2 2)) (save-image "a.png" (tensor-zeros 2 2))'
    command = ["env", f"LD_LIBRARY_PATH={tmp_path}", *command_of(text, back_end, tmp_path)]
    outcome = run(command, tmp_path)
    assert outcome.status == 70
    assert "save-image: PNG images need libpng, which is not installed\n" in outcome.errors
    assert "hint: sudo apt-get install libpng16-16; " in outcome.errors
    assert (tmp_path / "a.ppm").exists()
    done = subprocess.run(
        [*command[:2], sys.executable, "-m", "lambent.lang", "doctor"], capture_output=True,
        text=True, timeout=100,
    )
    assert "absent   libpng        only PNG images need it: sudo apt-get install" in done.stdout
    assert done.returncode == 0


def test_random_pictures_survive(tmp_path: Path) -> None:
    """What is written is read back: all channels, sizes from one pixel on."""
    text = """
    (manual-seed 1)
    (dotimes (i 50)
      (let* ((c (+ 1 (random 4)))
             (x (tensor-to (* 256 (tensor-rand c (+ 1 (random 40)) (+ 1 (random 40)))) 'uint8)))
        (save-image "x.png" x)
        (assert (equal? x (load-image "x.png")))))
    """
    outcome = run(command_of(text, "script", tmp_path), tmp_path)
    assert (outcome.output, outcome.errors, outcome.status) == ("", "", 0)
