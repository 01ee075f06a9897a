"""Quantised layers and GGUF files: the elements are those of the gguf package, products are near.

    Q4_K blocks  =>  floats, equal to gguf.quants.dequantize
                 =>  int4-linear, within the rounding of its scales and of 8-bit activations

One program a back end, which saves what it has computed.
"""

import json
import struct
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Type
from safetensors.torch import save_file

from tests.support.programs_run import command_of, run
from tests.support.saved_tensors import saved_by

BACK_ENDS = ("script", "executable")
SCALES = {  # types whose blocks are random bits here, and where their float16 scales are
    "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,), "Q2_K": (80, 82), "Q3_K": (108,),
    "IQ2_XXS": (0,), "IQ2_XS": (0,), "IQ2_S": (0,), "IQ3_XXS": (0,), "IQ3_S": (0,), "IQ1_S": (0,),
    "IQ1_M": (), "IQ4_NL": (0,), "IQ4_XS": (0,), "TQ1_0": (52,), "TQ2_0": (64,), "MXFP4": (),
    "NVFP4": (),
}
TYPES = ("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", *SCALES)
PACKED = ("Q8_0", "Q4_0", "Q4_1", "Q4_K", "IQ4_NL", "IQ4_XS", "TQ1_0", "TQ2_0", "MXFP4")
ROUNDED = ("Q4_K", "IQ4_XS")  # the products of their two scales are rounded to float16
ROWS, COLUMNS = 35, 512  # rows that are not a multiple of a tile


def blocks(name: str, random: np.random.Generator) -> np.ndarray:
    """A matrix in blocks; of most types, random bits with sane scales."""
    kind = Type[name]
    if name not in SCALES:
        floats = random.standard_normal((ROWS, COLUMNS)).astype(np.float32)
        return gguf.quants.quantize(floats, kind)
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    bits = random.integers(0, 256, (ROWS, COLUMNS // elements * size), dtype=np.uint8)
    rows = bits.reshape(-1, size)
    for number, start in enumerate(SCALES[name]):
        scale = np.array([0.01, 0.02][number], dtype=np.float16)
        rows[:, start : start + 2] = np.frombuffer(scale.tobytes(), dtype=np.uint8)
    if name == "IQ1_M":  # the highest bits of four words are those of 0x2113 as a float16
        for place, digit in enumerate((3, 1, 1, 2)):
            rows[:, 49 + 2 * place] = rows[:, 49 + 2 * place] & 15 | digit << 4
    if name == "MXFP4":
        rows[:, 0] = random.integers(104, 127, len(rows))
    return bits


def write_gguf(path: Path) -> dict[str, torch.Tensor]:
    """Write a file of all types; returns its tensors as floats."""
    random = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint32("llama.block_count", 2)
    writer.add_string("a.text", "hé\nllo")
    writer.add_array("a.list", [1, -2, 3])
    writer.add_array("long", [f"t{k}" for k in range(100)])
    floats = {}
    for name in TYPES:
        data = blocks(name, random)
        writer.add_tensor(name, data, raw_dtype=Type[name])
        floats[name] = torch.from_numpy(np.array(gguf.quants.dequantize(data, Type[name])))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return floats


PROGRAM = """
(define path "%(path)s")
(define table (load-gguf path))
(define x (tensor-cos (tensor-reshape (tensor-arange (* 7 %(columns)d)) '(7 %(columns)d))))
(define meta (gguf-metadata path))
(unless (and (equal? (hash-ref meta "a.text") "hé\\nllo")
             (equal? (hash-ref meta "a.list") '(1 -2 3))
             (not (hash-has-key? meta "long"))
             (= 100 (length (hash-ref (gguf-metadata path :longest #f) "long"))))
  (error "metadata" meta))
(unless (equal? (assoc "Q6_K" (gguf-tensors path)) '("Q6_K" Q6_K (%(rows)d %(columns)d)))
  (error "tensors" (gguf-tensors path)))
(define w (tensor-sin (tensor-reshape (tensor-arange 0.0 800.0 0.5) '(20 80))))
(define layer (linear 80 20))
(no-grad (tensor-copy! (linear-weight layer) w))
(define a (tensor-cos (tensor-reshape (tensor-arange 240) '(3 80))))
(define learned (requires-grad! (tensor-copy a)))
(define q8 (quantize-linear layer))
(define q4 (quantize-linear layer :bits 4))
(backward (tensor-sum (tensor-square (q8 learned))))
(define saved "model.safetensors")
(save-model saved (sequential q8 q4))
(define back (quantize-model! (sequential (linear 80 20) (linear 80 20) ) :bits 8))
(replace-module! back "1" (int4-linear 80 20))
(load-model! saved back)
(define bf (to! (sequential (copy-module q8)) 'bfloat16))
(define groups (linear 64 32))
(define t8 (module-at (quantize-model! (sequential layer) :kernel 'torch) "0"))
(define t4 (module-at (quantize-model! (sequential groups) :bits 4 :kernel 'torch) "0"))
(save-tensors "out.safetensors"
  (append
    (map (lambda (entry) (cons (string "floats." (car entry)) (tensor-to (cdr entry) 'float32)))
         (hash->list table))
    (append-map
      (lambda (name)
        (define packed (gguf-linear path name))
        (list (cons (string "packed." name) (dequantized packed))
              (cons (string "product." name) (packed x))
              (cons (string "one." name) (packed (tensor-narrow x 0 3 1)))))
      '(%(packed)s))
    (list (cons "q8" (dequantized q8)) (cons "q4" (dequantized q4))
          (cons "y8" (detach (q8 a))) (cons "y4" (detach (q4 a)))
          (cons "torch8" (t8 a))
          (cons "bias" (detach (linear-bias layer)))
          (cons "grad" (tensor-grad learned))
          (cons "back8" ((module-at back "0") a)) (cons "back4" ((module-at back "1") a))
          (cons "bf" (tensor-to (bf (tensor-to a 'bfloat16)) 'float32))
          (cons "rows" ((quantized-embedding 20 80
                          :packed (list (int8-linear-weight q8) (int8-linear-scale q8) #f))
                        [[3 19] [0 3]]))
          (cons "t4" (detach (t4 (tensor-ones 2 64))))
          (cons "t4-exact" (detach (groups (tensor-ones 2 64))))
          (cons "error" (tensor (list (quantization-error layer q8)
                                      (quantization-error layer q4)))))))
"""


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_elements_and_products(back_end: str, tmp_path: Path) -> None:
    path = tmp_path / "all.gguf"
    floats = write_gguf(path)
    text = PROGRAM % {
        "path": path, "rows": ROWS, "columns": COLUMNS,
        "packed": " ".join(f'"{name}"' for name in PACKED),
    }
    found = saved_by(text, back_end, tmp_path)
    x = torch.arange(7 * COLUMNS).reshape(7, COLUMNS).cos()
    for name, wanted in floats.items():
        assert torch.equal(found[f"floats.{name}"], wanted), name
    for name in PACKED:
        wanted = floats[name]
        least = 2e-3 * wanted.abs().max() if name in ROUNDED else 0
        assert (found[f"packed.{name}"] - wanted).abs().max() <= least, name
        assert relative(found[f"product.{name}"], x @ wanted.T) < 0.015, name
        assert torch.equal(found[f"one.{name}"], found[f"product.{name}"][3:4]), name
    check_layers(found)


def check_layers(found: dict[str, torch.Tensor]) -> None:
    w = torch.arange(0, 800, 0.5).reshape(20, 80).sin()
    a = torch.arange(240).reshape(3, 80).cos()
    for bits, least in (("8", 0.006), ("4", 0.09)):
        assert relative(found[f"q{bits}"], w) < least
        exact = a @ found[f"q{bits}"].T + found["bias"]
        assert relative(found[f"y{bits}"], exact) < 0.02
        assert torch.equal(found[f"back{bits}"], found[f"y{bits}"])
    assert found["error"][0] == pytest.approx(relative(found["q8"], w), rel=1e-3)
    assert found["error"][1] == pytest.approx(relative(found["q4"], w), rel=1e-3)
    assert relative(found["torch8"], a @ w.T + found["bias"]) < 0.03
    assert relative(found["t4"], found["t4-exact"]) < 0.2
    assert relative(found["bf"], found["y8"]) < 0.02
    learned = a.clone().requires_grad_()
    (learned @ found["q8"].T + found["bias"]).square().sum().backward()
    assert learned.grad is not None
    assert relative(found["grad"], learned.grad) < 1e-5
    assert torch.equal(found["rows"], found["q8"][torch.tensor([[3, 19], [0, 3]])])


def relative(found: torch.Tensor, wanted: torch.Tensor) -> float:
    return float((found - wanted).norm() / wanted.norm())


# Damaged files: what is changed, and what the message must say.

HEADER = struct.pack("<4sIQQ", b"GGUF", 3, 1, 1)


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


VALUE = text("a.number") + struct.pack("<II", 4, 7)


def tensor(sizes: tuple[int, ...] = (2, 2), kind: int = 0, offset: int = 0) -> bytes:
    shape = struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
    return text("w") + shape + struct.pack("<IQ", kind, offset)


def whole(header: bytes = HEADER, value: bytes = VALUE, described: bytes | None = None) -> bytes:
    start = header + value + (tensor() if described is None else described)
    return start + bytes(-len(start) % 32) + bytes(16)


DAMAGED = {
    "empty": (b"", "does not begin with"),
    "magic": (b"GGML" + whole()[4:], "it does not begin with \"GGUF\""),
    "version": (whole(struct.pack("<4sIQQ", b"GGUF", 99, 1, 1)), "version 99"),
    "tensors": (whole(struct.pack("<4sIQQ", b"GGUF", 3, 2**63, 1)), "do not fit the file"),
    "values": (whole(struct.pack("<4sIQQ", b"GGUF", 3, 1, 2**60)), "do not fit the file"),
    "cut": (whole()[:40], "the file has"),
    "key": (whole(value=struct.pack("<Q", 2**64 - 1) + VALUE[8:]), "a key takes"),
    "key-bytes": (whole(value=struct.pack("<Q", 1) + b"\xff" + VALUE[-8:]),
                  'the key "\\xff;" is not text'),
    "name-bytes": (whole(described=tensor().replace(b"w", b"\xff")),
                   'the tensor\'s name "\\xff;" is not text'),
    "value-type": (whole(value=text("k") + struct.pack("<II", 77, 7)), "unknown type 77"),
    "array": (
        whole(value=text("k") + struct.pack("<IIQ", 9, 4, 2**61)), "elements of an array"),
    "arrays": (
        whole(value=text("k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 60),
        "more than 8 arrays in arrays"),
    "alignment": (
        whole(value=text("general.alignment") + struct.pack("<II", 4, 3)), "a power of two"),
    "dims": (whole(described=tensor((1,) * 9)), "9 dimensions"),
    "size": (whole(described=tensor((2**63, 2))), "has the size"),
    "overflow": (whole(described=tensor((2**40, 2**40))), "no tensor can have"),
    "kind": (whole(described=tensor(kind=15)), "Q8_K, which is not supported"),
    "block": (whole(described=tensor((31, 1), kind=8)), "not a multiple of 32"),
    "offset": (whole(described=tensor(offset=16)), "not a multiple of 32"),
    "far": (whole(described=tensor(offset=2**63)), "which has 16"),
    "short": (whole(described=tensor((3, 3))), "takes 36 bytes"),
    "twice": (
        whole(struct.pack("<4sIQQ", b"GGUF", 3, 2, 1), described=tensor() * 2),
        "described twice"),
    "overlap": (
        whole(struct.pack("<4sIQQ", b"GGUF", 3, 2, 1),
              described=tensor() + tensor().replace(b"w", b"v")),
        'tensor "v" begins at byte 0 of the data, inside of tensor "w"'),
    # A row of no columns 2^40 times took hours, in which nothing could interrupt it.
    "no-elements": (whole(described=tensor((0, 2**40), kind=2)), "(w)"),
    "good": (whole(), "(w)"),
}

INDEXES = {
    "escape": ('{"weight_map": {"w": "../secret.safetensors"}}', "is not the name of a file"),
    "absolute": ('{"weight_map": {"w": "/etc/passwd"}}', "is not the name of a file"),
    "missing": ('{"weight_map": {"w": "model-1.safetensors"}}', "No such file"),
    "deep": ('{"metadata": ' + "[" * 100000, "nest"),
    "number": ('{"weight_map": {"w": 3}}', "expected"),
    "list": ("[1]", "expected an object"),
    "no-map": ('{"a": 1}', "weight_map"),
}

VALUES = {  # what only a reader of the metadata meets
    "text": (whole(value=text("k") + struct.pack("<IQ", 8, 1) + b"\xff"),
             'the string "\\xff;" is not text'),
}

DAMAGE_PROGRAM = """
(define (attempt load path)
  (display "\\n* ") (display path) (display " ")
  (print (guard (e (#t (if (error-object? e) (error-object-message e) e)))
           (hash-keys (load path)))))
"""


FOLDERS = {  # config.json as text, or what it changes; and what the message must say
    "deep": ('{"a":' + "[" * 100000, "read-json"),
    "null": ("null", "expected an object"),
    "negative": ({"hidden_size": -4},
                 "expected a positive integer below 1000000000 for the setting \"hidden_size\""),
    "layers": ({"num_hidden_layers": 999999999}, "the number of tensors in the files is 1"),
    "vocabulary": ({"vocab_size": 999999999}, "the largest size of a tensor in the files is 4"),
    "dtype": ({"dtype": "int4"}, "float32, float16"),
    "missing": ({}, "missing: \"model.embed_tokens.weight\""),
    "type": ({"model_type": "nope"}, "unknown architecture \"nope\""),
}
SMALL = {
    "model_type": "llama", "hidden_size": 4, "num_hidden_layers": 1, "vocab_size": 4,
    "intermediate_size": 4, "num_attention_heads": 1,
}


def write_folder(path: Path, config: str | dict[str, object]) -> None:
    """A model's folder whose only tensor is a norm."""
    path.mkdir()
    whole = config if isinstance(config, str) else json.dumps(SMALL | config)
    (path / "config.json").write_text(whole)
    save_file({"model.norm.weight": torch.ones(4)}, path / "model.safetensors")


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_damaged_files(back_end: str, tmp_path: Path) -> None:
    lines = [DAMAGE_PROGRAM]
    for name, (data, _) in DAMAGED.items():
        (tmp_path / f"{name}.gguf").write_bytes(data)
        lines.append(f'(attempt load-gguf "{name}.gguf")')
    for name, (data, _) in VALUES.items():
        (tmp_path / f"{name}.metadata").write_bytes(data)
        lines.append(f'(attempt gguf-metadata "{name}.metadata")')
    for name, (data, _) in INDEXES.items():
        (tmp_path / f"{name}.index.json").write_text(data)
        lines.append(f'(attempt load-tensors "{name}.index.json")')
    for name, (config, _) in FOLDERS.items():
        write_folder(tmp_path / name, config)
        lines.append(f'(attempt load-llm "{name}")')
    outcome = run(command_of("\n".join(lines), back_end, tmp_path), tmp_path)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", "")
    printed = outcome.output.split("\n* ")[1:]
    expected = [
        (name, wanted) for table in (DAMAGED, VALUES, INDEXES, FOLDERS)
        for name, (_, wanted) in table.items()
    ]
    assert len(printed) == len(expected), outcome.output
    for message, (name, wanted) in zip(printed, expected, strict=True):
        assert message.startswith(name) and wanted in message, message
