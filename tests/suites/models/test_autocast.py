"""with-autocast against torch.autocast: dtypes, results and gradients, in the same kernels.

Every row is a Lisp expression and a Python one over the same tensors, with autocast on; typed calls
(the names are known operators), calls through `apply`, views, and storage that is used again.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

from tests.support.saved_tensors import assert_close, saved_by

PROGRAM = """
(define inputs (load-tensors "in.safetensors"))
(define (input name) (requires-grad! (hash-ref inputs name)))
(define x (input "x"))  (define w (input "w"))  (define b (input "b"))
(define u (input "u"))  (define k (input "k"))  (define q (input "q"))
(define leaves (list x w b u k q))
(define classes (tensor-argmax (detach (hash-ref inputs "u")) 1))
(define out '())
(define (keep! name x)
  (set! out (cons (cons name (tensor-contiguous (detach x))) out)))
(define (row number thunk)
  (for-each (lambda (dtype) (run (string "torch." dtype "." number) dtype thunk))
            '(bfloat16 float16)))
(define (run id dtype thunk)
  (let ((y (with-autocast dtype (thunk))))
    (keep! id y)
    (when (requires-grad? y)
      (backward (tensor-sum (tensor-to y 'float32)))
      (for-each (lambda (leaf name)
                  (when (tensor-grad leaf)
                    (keep! (string id "/" name) (tensor-grad leaf)))
                  (zero-grad! leaf))
                leaves '("x" "w" "b" "u" "k" "q")))))
"""
# x [6, 8], w [5, 8], b [5], u [6, 5], k [4, 3, 3, 3], q [2, 3, 8, 8]
Values = dict[str, Tensor]
ROWS: tuple[tuple[str, Callable[[Values], Tensor]], ...] = (
    ("(tensor-linear x w b)", lambda v: F.linear(v["x"], v["w"], v["b"])),
    ("(apply tensor-linear (list x w b))", lambda v: F.linear(v["x"], v["w"], v["b"])),
    ("(@ x (tensor-t w))", lambda v: v["x"] @ v["w"].t()),
    ("(tensor-relu (tensor-linear (tensor-tanh (tensor-linear x w b)) u))",
     lambda v: torch.relu(F.linear(torch.tanh(F.linear(v["x"], v["w"], v["b"])), v["u"]))),
    ("(cross-entropy (tensor-linear x w b) classes)",
     lambda v: F.cross_entropy(F.linear(v["x"], v["w"], v["b"]), v["u"].argmax(1))),
    ("(mse-loss (tensor-linear x w b) u)",
     lambda v: F.mse_loss(F.linear(v["x"], v["w"], v["b"]), v["u"])),
    ("(binary-cross-entropy-with-logits (tensor-linear x w b) (tensor-sigmoid (detach u)))",
     lambda v: F.binary_cross_entropy_with_logits(
         F.linear(v["x"], v["w"], v["b"]), torch.sigmoid(v["u"].detach()))),
    ("(tensor-softmax (tensor-linear x w b) 1)",
     lambda v: torch.softmax(F.linear(v["x"], v["w"], v["b"]), 1)),
    ("(tensor-layer-norm (tensor-linear x w b) '(5))",
     lambda v: F.layer_norm(F.linear(v["x"], v["w"], v["b"]), (5,))),
    ("(+ (tensor-linear x w b) u)", lambda v: F.linear(v["x"], v["w"], v["b"]) + v["u"]),
    ("(+ (* 2 (exp (tensor-linear x w b))) (tensor-linear x w b))",
     lambda v: 2 * torch.exp(F.linear(v["x"], v["w"], v["b"])) + F.linear(
         v["x"], v["w"], v["b"])),
    ("(tensor-cat (list (tensor-linear x w b) u))",
     lambda v: torch.cat([F.linear(v["x"], v["w"], v["b"]), v["u"]])),
    ("(tensor-max-pool2d (tensor-relu (tensor-conv2d q k)) 2)",
     lambda v: F.max_pool2d(F.relu(F.conv2d(v["q"], v["k"])), 2)),
    ("(tensor-scaled-dot-product-attention q q q :is-causal #t)",
     lambda v: F.scaled_dot_product_attention(v["q"], v["q"], v["q"], is_causal=True)),
    ("(tensor-bmm (tensor-flatten q 0 1) (tensor-transpose (tensor-flatten q 0 1) 1 2))",
     lambda v: torch.bmm(v["q"].flatten(0, 1), v["q"].flatten(0, 1).transpose(1, 2))),
    ("(tensor-prod (tensor-linear x w b) 1)",
     lambda v: torch.prod(F.linear(v["x"], v["w"], v["b"]), 1)),
    ("(tensor-cdist (tensor-linear x w b) u)",
     lambda v: torch.cdist(F.linear(v["x"], v["w"], v["b"]), v["u"])),
    # Without gradients: views that skip the recording layer, arguments that are overwritten.
    ("(no-grad (tensor-exp (tensor-neg (tensor-linear x w b))))",
     lambda v: torch.exp(-F.linear(v["x"], v["w"], v["b"])).detach()),
    ("(no-grad (@ (tensor-slice (tensor-transpose (@ x (tensor-t w)) 0 1) 0 1 4) (+ x 1.0)))",
     lambda v: ((v["x"] @ v["w"].t()).transpose(0, 1)[1:4] @ (v["x"] + 1.0)).detach()),
    ("(no-grad (tensor-sqrt (tensor-relu (tensor-add (tensor-mul u u) (tensor-linear x w b)))))",
     lambda v: torch.sqrt(torch.relu(v["u"] * v["u"] + F.linear(v["x"], v["w"], v["b"]))).detach()),
    ("(with-autocast #f (tensor-linear x w b))", lambda v: exact(v)),
    ("(tensor-matmul (with-autocast #f (tensor-linear x w b)) (tensor-t (tensor-linear x w b)))",
     lambda v: torch.matmul(exact(v), F.linear(v["x"], v["w"], v["b"]).t())),
    ("(recompute (lambda (x) (tensor-relu (tensor-linear x w b))) x)",
     lambda v: torch.relu(F.linear(v["x"], v["w"], v["b"]))),
)


def exact(v: Values) -> Tensor:
    with torch.autocast("cpu", enabled=False):
        return F.linear(v["x"], v["w"], v["b"])


def expected(given: Values, dtype: torch.dtype) -> Values:
    found: Values = {}
    for number, (_, compute) in enumerate(ROWS):
        leaves = {name: x.clone().requires_grad_() for name, x in given.items()}
        with torch.autocast("cpu", dtype=dtype):
            y = compute(leaves)
        id = f"{dtype}.{number}"
        found[id] = y
        if not y.requires_grad:
            continue
        y.float().sum().backward()
        found |= {f"{id}/{name}": x.grad for name, x in leaves.items() if x.grad is not None}
    return found


@pytest.mark.parametrize("back_end", ["script", "executable"])
def test_autocast_equals_torch(back_end: str, tmp_path: Path) -> None:
    torch.manual_seed(5)
    shapes = {"x": (6, 8), "w": (5, 8), "b": (5,), "u": (6, 5), "k": (4, 3, 3, 3),
              "q": (2, 3, 8, 8)}  # fmt: skip
    given = {name: torch.randn(shape) for name, shape in shapes.items()}
    save_file(given, tmp_path / "in.safetensors")
    rows = [f"(row {number} (lambda () {lisp}))" for number, (lisp, _) in enumerate(ROWS)]
    text = "\n".join([PROGRAM, *rows])
    wanted = expected(given, torch.bfloat16) | expected(given, torch.float16)
    found = saved_by(text + '(save-tensors "out.safetensors" out)', back_end, tmp_path)
    assert len({x.dtype for x in wanted.values()}) == 3
    assert_close(found, wanted)
