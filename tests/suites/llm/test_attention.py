"""Attention, whole and in blocks, and rotary positions equal torch's, gradients included.

All rows are one program.
"""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402
from torch import Tensor  # noqa: E402

from tests.support.saved_tensors import assert_close, saved_by  # noqa: E402

_DICE = torch.Generator().manual_seed(3)


def f(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_DICE)


def _mask(t: int, s: int, window: int | None = None) -> Tensor:
    distance = torch.arange(s - t, s)[:, None] - torch.arange(s)
    return (distance >= 0) & (distance < (window or s))


INPUTS = {
    "q": f(2, 4, 7, 6), "k": f(2, 4, 7, 6), "v": f(2, 4, 7, 6),
    "k2": f(2, 2, 11, 6), "v2": f(2, 2, 11, 6), "one": f(2, 4, 1, 6),
    "seen": (torch.rand(2, 1, 7, 11, generator=_DICE) < 0.5) | (torch.arange(11) == 4),
    "added": f(7, 11),
}


def attend(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, scale: float | None = None,
    softcap: float | None = None,
) -> Tensor:
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = q @ k.transpose(-1, -2) * (scale or q.shape[-1] ** -0.5)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    if mask is not None:
        is_bool = mask.dtype == torch.bool
        scores = torch.where(mask, scores, -torch.inf) if is_bool else scores + mask
    return scores.softmax(-1) @ v


# Arguments after q k v, which tensors those are, and what torch computes.
Answer = Callable[[Tensor, Tensor, Tensor], Tensor]
ROWS: list[tuple[str, str, Answer]] = [
    ("q k v", "", attend),
    ("q k v", ":causal #t", lambda q, k, v: attend(q, k, v, _mask(7, 7))),
    ("q k v", ":causal #t :window 3", lambda q, k, v: attend(q, k, v, _mask(7, 7, 3))),
    ("q k v", ":causal #t :scale 0.3 :softcap 2.0",
     lambda q, k, v: attend(q, k, v, _mask(7, 7), 0.3, 2.0)),
    ("q k2 v2", "", attend),
    ("q k2 v2", ":causal #t", lambda q, k, v: attend(q, k, v, _mask(7, 11))),
    ("q k2 v2", ":window 4", lambda q, k, v: attend(q, k, v, _mask(7, 11, 4))),
    ("q k2 v2", ":window 6 :softcap 3.0",
     lambda q, k, v: attend(q, k, v, _mask(7, 11, 6), None, 3.0)),
    ("q k2 v2", ":mask seen", lambda q, k, v: attend(q, k, v, INPUTS["seen"])),
    ("q k2 v2", ":mask added", lambda q, k, v: attend(q, k, v, INPUTS["added"])),
    ("q k2 v2", ":mask added :causal #t",
     lambda q, k, v: attend(q, k, v, INPUTS["added"].masked_fill(~_mask(7, 11), -torch.inf))),
    ("q k2 v2", ":mask (tensor-logical-or seen (tensor-eq (tensor-arange 11) 0)) :causal #t",
     lambda q, k, v: attend(
         q, k, v, (INPUTS["seen"] | (torch.arange(11) == 0)) & _mask(7, 11))),
    ("one k2 v2", ":causal #t", attend),
    ("one k2 v2", ":window 2", lambda q, k, v: attend(q, k, v, _mask(1, 11, 2))),
]
# The same, in blocks of that many queries or keys.
BLOCKS = (2, 3, 64)

PLAIN = 10000.0 ** (-torch.arange(0, 8, 2) / 8)  # the frequencies of 8 features
LONG = (
    "'((\"rope_type\" . \"longrope\") (\"factor\" . 4) (\"short_factor\" 1 1 1 2) "
    "(\"long_factor\" 1 1.5 2 3) (\"original_max_position_embeddings\" . %d))"
)
# Arguments, frequencies, and a factor of cosines and sines.  test_architectures.py has models with
# the scalings llama3 and yarn.
ROPES: list[tuple[str, Tensor, float]] = [
    ("", PLAIN, 1.0),
    (":base 500", 500.0 ** (-torch.arange(0, 8, 2) / 8), 1.0),
    (":scaling '((\"type\" . \"linear\") (\"factor\" . 3.0))", PLAIN / 3, 1.0),
    (":context 16 :scaling '((\"rope_type\" . \"dynamic\") (\"factor\" . 2.0))",
     (10000.0 * (2 * 20 / 16 - 1) ** (8 / 6)) ** (-torch.arange(0, 8, 2) / 8), 1.0),
    (f":scaling {LONG % 16}", PLAIN / torch.tensor([1, 1.5, 2, 3]),
     math.sqrt(1 + math.log(4) / math.log(16))),
    (f":scaling {LONG % 20}", PLAIN / torch.tensor([1, 1, 1, 2]),
     math.sqrt(1 + math.log(4) / math.log(20))),
]

PROGRAM = """
(define inputs (load-tensors "in.safetensors"))
(define saved '())
(define (save! name x) (set! saved (cons (cons name (tensor-contiguous (detach x))) saved)))
(define (leaf name) (requires-grad! (tensor-copy (hash-ref inputs name))))
(define-values (q k v k2 v2 one) (apply values (map leaf '("q" "k" "v" "k2" "v2" "one"))))
(define seen (hash-ref inputs "seen"))
(define added (hash-ref inputs "added"))
(define (both name f q k v)
  (let ((y (f q k v)))
    (save! (string name ".y") y)
    (for-each (lambda (part x) (save! (string name "." part) x))
              '("q" "k" "v") (gradients (tensor-sum (* y y)) (list q k v)))))
%s
(define x (hash-ref inputs "x"))
%s
(receive (cos sin) (rope 8 20 :interleaved #t)
  (save! "interleaved" (apply-rope x cos sin :interleaved #t)))
(receive (cos sin) (rope 4 20)
  (save! "partial" (apply-rope x cos sin)))
(manual-seed 3)
(define dropped (attention q k v :dropout 0.5 :training #t))
(define (same? a b) (if (equal? a b) 1 0))
(save! "dropout" (tensor (list (same? dropped (attention q k v))
                               (same? (attention q k v :dropout 0.5) (attention q k v)))))
(save-tensors "out.safetensors" saved)
"""


def test_attention_and_rope(back_end: str, tmp_path: Path) -> None:
    x = f(2, 3, 20, 8)
    save_file(INPUTS | {"x": x}, tmp_path / "in.safetensors")
    calls, expected = [], {}
    for number, (names, options, answer) in enumerate(ROWS):
        leaves = [INPUTS[name].clone().requires_grad_() for name in names.split()]
        y = answer(*leaves)
        wanted = dict(zip("yqkv", [y, *torch.autograd.grad((y * y).sum(), leaves)], strict=True))
        for block in (0, *BLOCKS):
            name = f"{number}.{block}"
            call = (f"(blockwise-attention q k v {options} :block {block})" if block
                    else f"(attention q k v {options})")
            calls.append(f'(both "{name}" (lambda (q k v) {call}) {names})')
            expected |= {f"{name}.{part}": value for part, value in wanted.items()}
    ropes = []
    for number, (options, frequencies, factor) in enumerate(ROPES):
        ropes.append(f'(receive (cos sin) (rope 8 20 {options}) (save! "rope-{number}" '
                     "(apply-rope x cos sin)))")
        expected[f"rope-{number}"] = factor * _turned(x, frequencies, halves=True)
    expected["interleaved"] = _turned(x, PLAIN, halves=False)
    first = 10000.0 ** (-torch.arange(0, 4, 2) / 4)
    expected["partial"] = torch.cat([_turned(x[..., :4], first, halves=True), x[..., 4:]], -1)
    expected["dropout"] = torch.tensor([0, 1])
    found = saved_by(PROGRAM % ("\n".join(calls), "\n".join(ropes)), back_end, tmp_path)
    assert_close(found, expected, 3e-5)


def _turned(x: Tensor, frequencies: Tensor, *, halves: bool) -> Tensor:
    """x [n, heads, t, d], whose pairs are complex numbers, turned by position times frequency."""
    turns = torch.outer(torch.arange(x.shape[2]).float(), frequencies)
    pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2) if halves else x.unflatten(-1, (-1, 2))
    numbers = torch.view_as_complex(pairs.contiguous())
    turned = torch.view_as_real(numbers * torch.polar(torch.ones_like(turns), turns))
    return (turned.transpose(-1, -2) if halves else turned).flatten(-2)
