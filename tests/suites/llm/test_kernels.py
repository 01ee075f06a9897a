"""The kernels of every kind of processor give the same products, for one row to seventeen.

    LAMBENT_KERNEL=portable  =>  within rounding of the plain product of the integers or floats

One executable saves what it has computed under each kernel; sizes are odd, so that tiles, groups,
vectors and panels have tails.
"""

import subprocess
from pathlib import Path

import numpy as np
import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import load_file, save_file  # noqa: E402
from torch import Tensor  # noqa: E402

from tests.suites.llm import test_operators  # noqa: E402
from tests.support.programs_run import command_of, run  # noqa: E402
from tests.support.saved_tensors import OUT, assert_close  # noqa: E402

KERNELS = ("portable", "avx2", "avx512", "avx512bf16")  # each at most what the processor has
COUNTS = (1, 2, 3, 4, 6, 7, 8, 13, 17)  # rows of activations
SIZES = ((1, 1), (35, 80), (50, 33), (130, 100), (49, 257))  # of weights
DTYPES = {"float32": 1e-5, "bfloat16": 1e-2, "float16": 1e-3}

PROGRAM = """
(set-num-threads 2)
(define inputs (load-tensors "in.safetensors"))
(define saved '())
(define (save! x . name)
  (set! saved (cons (cons (apply string name) (tensor-to x 'float32)) saved)))
(define (rows x count) (tensor-contiguous (tensor-narrow x 0 0 count)))
(define (try-integers size w x bits)
  (let* ((layer (linear (tensor-size w 1) (tensor-size w 0) :bias #f))
         (q (begin (set-linear-weight! layer w) (quantize-linear layer :bits bits))))
    (save! (dequantized q) "weight " bits " " size)
    (for-each (lambda (count) (save! (q (rows x count)) "q" bits " " size " " count))
              counts)))
(define (try-minimum size w x)
  (let ((parts (tensor-lambent::quantize-weight w 4)))
    (save! (cadr parts) "scale " size)
    (for-each
      (lambda (count)
        (save! (tensor-lambent::quantized-linear (rows x count) (car parts) (cadr parts)
                 (cadr parts) #f (tensor-size w 0))
               "minimum " size " " count))
      counts)))
(define (try-floats size w x b dtype)
  (let ((w (tensor-to w dtype)) (x (tensor-to x dtype)) (b (tensor-to b dtype)))
    (for-each (lambda (count) (save! (tensor-linear (rows x count) w b) dtype " " size " " count))
              counts)))
(define counts '(%(counts)s))
(inference-mode
  (for-each
    (lambda (size)
      (define w (hash-ref inputs (string "w" size)))
      (define x (hash-ref inputs (string "x" size)))
      (define b (hash-ref inputs (string "b" size)))
      (try-integers size w x 8)
      (try-integers size w x 4)
      (try-minimum size w x)
      (for-each (lambda (dtype) (try-floats size w x b dtype)) '(float32 bfloat16 float16)))
    (iota %(sizes)d)))
(save-tensors "out.safetensors" saved)
"""


def inputs() -> dict[str, Tensor]:
    dice = torch.Generator().manual_seed(3)
    found = {}
    for number, (rows, columns) in enumerate(SIZES):
        found[f"w{number}"] = torch.randn(rows, columns, generator=dice)
        found[f"x{number}"] = torch.randn(max(COUNTS), columns, generator=dice)
        found[f"b{number}"] = torch.randn(rows, generator=dice)
    return found


def in_8_bits(x: Tensor) -> Tensor:
    """Activations as the kernels see them: a scale for each 32 columns of a row."""
    groups = torch.nn.functional.pad(x, (0, -x.shape[1] % 32)).reshape(len(x), -1, 32).numpy()
    most = np.abs(groups).max(-1, keepdims=True)
    by = np.divide(np.float32(127), most, out=np.zeros_like(most), where=most > 0)
    whole = np.rint(groups * by).astype(np.float64)
    scale = (most / np.float32(127)).astype(np.float64)
    return torch.from_numpy((whole * scale).reshape(len(x), -1)[:, : x.shape[1]])


def expected(given: dict[str, Tensor], found: dict[str, Tensor]) -> dict[str, Tensor]:
    """The plain products, of the weights that were found in 8 and 4 bits."""
    wanted = {}
    for number in range(len(SIZES)):
        w, x, b = (given[f"{kind}{number}"] for kind in "wxb")
        for bits in (8, 4):
            name = f"{bits} {number}"
            wanted[f"weight {name}"] = w
            product = in_8_bits(x) @ found[f"weight {name}"].double().T
            wanted |= {f"q{name} {count}": product[:count] for count in COUNTS}
        rows, columns = w.shape  # the minimum of a group is its scale in this test
        least = found[f"scale {number}"].transpose(1, 2).flatten(0, 1)[:rows]
        matrix = found[f"weight 4 {number}"] + least.repeat_interleave(32, 1)[:, :columns]
        product = in_8_bits(x) @ matrix.double().T
        wanted |= {f"minimum {number} {count}": product[:count] for count in COUNTS}
        for dtype in DTYPES:
            kind = getattr(torch, dtype)
            product = x.to(kind).double() @ w.to(kind).double().T + b.to(kind).double()
            wanted |= {f"{dtype} {number} {count}": product[:count] for count in COUNTS}
    return wanted


def check(given: dict[str, Tensor], found: dict[str, Tensor]) -> None:
    for name, y in expected(given, found).items():
        kind = name.split()[0]
        error = float((found[name].double() - y).norm() / y.norm())
        limit = DTYPES.get(kind, {"weight": 0.12}.get(kind, 1e-5))
        assert error < limit, (name, error)
    for number in range(len(SIZES)):  # a row's result does not depend on how many others there are
        for kind in ("q8", "q4", "minimum", "float32"):
            alone = found[f"{kind} {number} 1"]
            for count in COUNTS if kind != "float32" else [c for c in COUNTS if c <= 8]:
                assert torch.equal(found[f"{kind} {number} {count}"][:1], alone), (kind, count)


def results_of(
    command: list[str], kernel: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Tensor]:
    monkeypatch.setenv("LAMBENT_KERNEL", kernel)
    outcome = run(command, folder)
    assert (outcome.status, outcome.errors, outcome.leaks) == (0, "", ""), outcome
    return load_file(folder / OUT)


def test_products_of_every_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = inputs()
    save_file(given, tmp_path / "in.safetensors")
    text = PROGRAM % {"counts": " ".join(map(str, COUNTS)), "sizes": len(SIZES)}
    command = command_of(text, "executable", tmp_path)
    found = {kernel: results_of(command, kernel, tmp_path, monkeypatch) for kernel in KERNELS}
    for kernel in KERNELS:
        check(given, found[kernel])
        for name, y in found[kernel].items():
            limit = DTYPES.get(name.split()[0], 1e-5)
            assert_close({name: y}, {name: found["portable"][name]}, limit)


def test_operators_of_every_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others: norms, gates, rotation, attention."""
    save_file(test_operators.INPUTS, tmp_path / "in.safetensors")
    command = command_of(test_operators.program(), "executable", tmp_path)
    wanted = test_operators.expected()
    for kernel in KERNELS[:2]:
        found = results_of(command, kernel, tmp_path, monkeypatch)
        assert sorted(found) == sorted(wanted)
        test_operators.check(found, wanted)


def test_samplers_of_every_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nucleus of 32,000 tokens has the same members under each kernel."""
    text = """
      (define g (make-generator 5))
      (define logits (tensor-randn 32000 :generator g))
      (define (seen . options)
        (tensor-bincount (apply tensor-sample (tensor-expand logits '(100 32000))
                                :generator g options)
                         :minlength 32000))
      (save-tensors "out.safetensors"
        (list (cons "logits" logits)
              (cons "narrow" (seen :top-p 0.02)) (cons "wide" (seen :top-p 0.95))
              (cons "typical" (seen :typical-p 0.3)) (cons "min" (seen :min-p 0.2))
              (cons "equal" (tensor-sample (tensor-zeros 50 4099) :top-p 0.01 :generator g))
              (cons "argmax" (tensor-argmax-last logits))))"""
    command = command_of(text, "executable", tmp_path)
    for kernel in ("portable", "avx2", ""):
        found = results_of(command, kernel, tmp_path, monkeypatch)
        p = found["logits"].double().softmax(-1)
        order = p.argsort(descending=True)
        for name, mass in (("narrow", 0.02), ("wide", 0.95)):
            count = int((p[order].cumsum(-1) < mass).sum()) + 1
            assert set(found[name].nonzero().flatten().tolist()) <= set(order[:count].tolist())
        assert len(found["narrow"].nonzero()) > 3
        assert set(found["min"].nonzero().flatten().tolist()) <= set(
            (p >= 0.2 * p.max()).nonzero().flatten().tolist()
        )
        assert int(found["equal"].max()) < 41  # of equals, those that come first
        assert int(found["argmax"]) == int(order[0])


def test_an_unknown_kernel_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMBENT_KERNEL", "sse9")
    text = "(print (inference-mode (tensor-argmax-last (tensor-ones 3))))"
    said = subprocess.run(
        command_of(text, "script", tmp_path), cwd=tmp_path, capture_output=True, text=True
    )
    assert (said.returncode, said.stdout) == (70, "")
    assert 'avx512bf16, avx512, avx2, neon or portable in LAMBENT_KERNEL, got "sse9"' in said.stderr
    assert "Traceback" not in said.stderr
