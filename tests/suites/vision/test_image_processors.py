"""Image processors give what those of transformers give, to the bit; JPEG images what Pillow reads.

50 images of odd sizes in four formats, smooth and noisy, go through every processor that the
library knows, with the ways of resizing that Pillow has.
"""

import io
import random
from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")
ImageOps = pytest.importorskip("PIL.ImageOps")

from safetensors.torch import load_file  # noqa: E402

from tests.support.model_folders import transformers_package  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import saved_by  # noqa: E402

# Name: the family, and its settings.
PROCESSORS: dict[str, tuple[str, dict[str, Any]]] = {
    "vit": ("vit", {"size": {"height": 37, "width": 51}}),
    **{f"vit{k}": ("vit", {"resample": k, "size": {"height": 30, "width": 44}}) for k in range(6)},
    "clip": ("clip", {"size": {"shortest_edge": 64}, "crop_size": {"height": 64, "width": 64}}),
    "clip-wide": ("clip", {"size": {"shortest_edge": 40},
                           "crop_size": {"height": 64, "width": 50}}),
    "convnext": ("convnext", {"size": {"shortest_edge": 64}}),
    "convnext-whole": ("convnext", {"size": {"shortest_edge": 384}}),
    "bit": ("bit", {"size": {"shortest_edge": 32}, "crop_size": {"height": 28, "width": 28}}),
    "deit": ("deit", {"size": {"height": 64, "width": 64},
                      "crop_size": {"height": 56, "width": 56}}),
    "siglip": ("siglip", {"size": {"height": 48, "width": 48}}),
    "yolos": ("yolos", {"size": {"shortest_edge": 96, "longest_edge": 160}}),
    "detr": ("detr", {"size": {"shortest_edge": 64, "longest_edge": 90}}),
    "bytes": ("vit", {"do_rescale": False, "do_normalize": False,
                      "size": {"height": 41, "width": 29}}),
    "as-it-is": ("vit", {"do_resize": False, "do_normalize": False}),
}  # fmt: skip
SLOW = ("convnext-whole", "yolos")  # for every fifth image
CLASSES = {"vit": "ViT", "clip": "CLIP", "convnext": "ConvNext", "bit": "Bit", "deit": "DeiT",
           "siglip": "Siglip", "yolos": "Yolos", "detr": "Detr"}
COUNT = 50

PROGRAM = """
(define saved '())
(define (process name folder path)
  (let ((processor (load-image-processor folder)))
    (set! saved (cons (cons name (tensor-select (processor path) 0 0)) saved))))
(for-each (lambda (row) (apply process row)) '(%s))
(save-tensors "out.safetensors" saved)
"""


def processor_of(family: str, options: dict[str, Any]) -> Any:
    """The processor of transformers that works with Pillow."""
    transformers_package()
    from importlib import import_module

    module = import_module(f"transformers.models.{family}.image_processing_pil_{family}")
    return getattr(module, f"{CLASSES[family]}ImageProcessorPil")(**options)


def written_image(folder: Path, k: int) -> Path:
    """An image of an odd size, with its format and kind by its number."""
    source, noise = random.Random(k), np.random.default_rng(k)
    height, width = source.randrange(40, 300), source.randrange(40, 300)
    if k % 3 == 0:
        samples = noise.integers(0, 256, (height, width, 3), dtype=np.uint8)
    else:
        down, across = np.mgrid[0:height, 0:width]
        waves = [np.sin(across / source.uniform(2, 40) + down / source.uniform(2, 40) + c)
                 for c in range(3)]  # fmt: skip
        samples = (np.stack(waves, -1) * 127 + 128).astype(np.uint8)
    image = Image.fromarray(samples)
    if k % 7 == 3:
        image = image.convert("L")
    suffix = ("png", "jpg", "jpeg", "ppm")[k % 4]
    path = folder / f"{k}.{suffix if suffix != 'ppm' or image.mode == 'RGB' else 'pgm'}"
    if suffix.startswith("j"):
        image.save(path, format="JPEG", quality=source.randrange(20, 98), subsampling=k % 3,
                   progressive=k % 5 == 1)  # fmt: skip
    else:
        image.save(path)
    return path


def test_processors(back_end: str, tmp_path: Path) -> None:
    images = [written_image(tmp_path, k) for k in range(COUNT)]
    expected, rows = {}, []
    for name, (family, options) in PROCESSORS.items():
        processor = processor_of(family, options)
        processor.save_pretrained(tmp_path / name)
        for k, path in enumerate(images):
            if name in SLOW and k % 5:
                continue
            pixels = processor(Image.open(path).convert("RGB"), return_tensors="np")
            expected[f"{name}-{k}"] = torch.as_tensor(np.array(pixels["pixel_values"][0])).float()
            rows.append(f'("{name}-{k}" "{tmp_path / name}" "{path}")')
    found = saved_by(PROGRAM % "\n".join(rows), back_end, tmp_path)
    assert found.keys() == expected.keys()
    for name, wanted in expected.items():
        assert found[name].shape == wanted.shape, name
        assert (found[name] - wanted).abs().max() < 2e-6, name  # a level is 0.004 or more


def exif_of(orientation: int) -> bytes:
    image = Image.new("RGB", (1, 1))
    exif = image.getexif()
    exif[0x112] = orientation
    return exif.tobytes()


def jpeg(image: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, format="JPEG", **options)
    return file.getvalue()


LOADING = """
(define loaded
  (append-map
   (lambda (name)
     (guard (e (#t (print name (error-object-message e)) '()))
       (list (cons name (load-image name)))))
   (read-lines "names.txt")))
(save-tensors "out.safetensors" loaded)
"""


def test_jpeg(back_end: str, tmp_path: Path) -> None:
    """Which side is up, damaged and hostile files; no crash for any change of bytes."""
    noise = np.random.default_rng(2)
    picture = Image.fromarray(noise.integers(0, 256, (13, 22, 3), dtype=np.uint8))
    whole = jpeg(picture)
    good = {f"up{k}.jpg": jpeg(picture, exif=exif_of(k)) for k in range(10)}
    good["tiny.jpg"] = jpeg(Image.new("L", (1, 1)))
    size = whole.index(b"\xff\xc0") + 5
    hostile = {
        "cut.jpg": (whole[: len(whole) // 2], "damaged JPEG image: Premature end"),
        "short.jpg": (whole[:20], "damaged JPEG image"),
        "start.jpg": (b"\xff\xd8\xff", "damaged JPEG image"),
        "cmyk.jpg": (jpeg(picture.convert("CMYK")), "a JPEG image for printing"),
        "large.jpg": (whole[:size] + b"\xea\x60\xea\x60" + whole[size + 4 :],
                      "claims 60000 x 60000 pixels"),
        "exif.jpg": (jpeg(picture, exif=exif_of(6))[:60], "damaged JPEG image"),
    }
    damaged = {}
    source = random.Random(4)
    for k in range(150):
        data = bytearray(whole if k % 2 else good["up6.jpg"])
        for _ in range(1 + k % 3):
            data[source.randrange(2, len(data))] = source.randrange(256)
        damaged[f"damaged{k}.jpg"] = bytes(data)
    contents = good | {name: data for name, (data, _) in hostile.items()} | damaged
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "names.txt").write_text("\n".join(contents) + "\n")
    outcome = run(command_of(LOADING, back_end, tmp_path), tmp_path)
    assert (outcome.errors, outcome.status, outcome.leaks) == ("", 0, "")
    found = load_file(tmp_path / "out.safetensors")
    for name, data in good.items():
        wanted = np.array(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))
        shaped = wanted[None] if wanted.ndim == 2 else wanted.transpose(2, 0, 1)
        assert torch.equal(found[name], torch.as_tensor(shaped.copy())), name
    errors = dict(line.split(" ", 1) for line in outcome.output.splitlines())
    for name, (_, message) in hostile.items():
        assert message in errors.get(name, ""), (name, errors.get(name))
    for name in damaged:
        text = errors.get(name, "damaged JPEG")
        assert any(part in text for part in ("damaged JPEG", "claims", "printing", "no image",
                                             "it is not an image")), (name, text)


STEPS = """
(define image (tensor-to (tensor-reshape (tensor-arange 0 96) '(1 8 12)) 'uint8))
(define wide (image-processor :size #f :shortest 4 :crop '(4 10) :mean #f))
(print (tensor-shape (wide image)))
(print (tensor-ref (wide (list image image)) 1 2 0))
(save-image "grey.png" image)
(print (tensor-equal (wide image) (wide "grey.png")))
(print (tensor-equal (wide (/ image 255.0)) (wide image)))
(define padded (image-processor :size #f :pad #t :mean #f :scale #f))
(print (tensor-shape (padded (list image (tensor-narrow image 1 0 5)))))
(define (fails thunk)
  (guard (e (#t (print (error-object-message e) (error-object-irritants e)))) (thunk)))
(fails (lambda () ((image-processor :size #f) (list image (tensor-narrow image 1 0 5)))))
(fails (lambda () (image-processor :size '(0 3))))
(fails (lambda () (image-processor :resample "cubic")))
(fails (lambda () (wide "none.png")))
(fails (lambda () (wide '())))
(fails (lambda () (load-image-processor ".")))
(make-folder "p")
(define (refused text)
  (call-with-output-file "p/preprocessor_config.json" (lambda (port) (display text port)))
  (fails (lambda () (load-image-processor "p"))))
(refused "[]")
(refused "{\\"image_processor_type\\": \\"SamImageProcessor\\"}")
(refused "{\\"size\\": \\"large\\"}")
(refused "{\\"resample\\": 9}")
(refused "{\\"image_mean\\": [1, 2]}")
(refused "{\\"do_resize\\": 1}")
"""

SAID = [
    "(1 3 4 10)",
    "[0.0 0.0 0.0392 0.0471 0.0549 0.0627 0.0706 0.0745 0.0 0.0]",
    "#t", "#t", "(2 3 8 12)",
    "images of different sizes make no batch: ((8 12) (5 12))",
    "a list of height and width as :size",
    "image-processor: ",
    "none.png",
    "a path, an image or a list of them",
    "has no preprocessor_config.json",
    "expected an object",
    'the image processor "Sam" is not known',
    'expected a size for the setting "size", got "large"',
    'an integer from 0 to 5 for the setting "resample", got 9',
    'three numbers for the setting "image_mean", got [1,2]',
    'true or false for the setting "do_resize", got 1',
]  # fmt: skip


def test_steps(back_end: str, tmp_path: Path) -> None:
    outcome = run(command_of(STEPS, back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    for line, part in zip(outcome.output.splitlines(), SAID, strict=True):
        assert part in line, line
