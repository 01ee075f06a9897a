"""Clipping, norms, accumulation and averages against PyTorch's."""

from pathlib import Path

import pytest
import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.support.saved_tensors import assert_close, saved_by

BACK_ENDS = ("script", "executable")

LISP = """
(define (fresh) (map requires-grad! (list [[3.0 -4.0] [0.5 1.0]] [-6.0] [1.0])))
(define (with-gradients)                    ; the last one has none
  (let ((ps (fresh)))
    (backward (* 0.5 (+ (tensor-sum (square (car ps))) (tensor-sum (square (cadr ps))))))
    ps))
(define kept '())
(define (keep! name x) (set! kept (cons (cons name (detach x)) kept)))
(define (clip name max-norm norm-type)
  (let* ((ps (with-gradients))
         (norm (clip-grad-norm! ps max-norm :norm-type norm-type)))
    (keep! (string name ".norm") norm)
    (keep! (string name ".w") (tensor-grad (car ps)))
    (keep! (string name ".b") (tensor-grad (cadr ps)))))
"""

CLIPS = [(1.0, 2.0), (100.0, 2.0), (2.5, 1.0), (2.0, float("inf")), (1.0, 3.5), (0.0, 2.0)]


def with_gradients() -> list[torch.Tensor]:
    values = ([[3.0, -4.0], [0.5, 1.0]], [-6.0], [1.0])
    tensors = [torch.tensor(v, requires_grad=True) for v in values]
    (0.5 * (tensors[0].square().sum() + tensors[1].square().sum())).backward()
    return tensors


def gradient(x: torch.Tensor) -> torch.Tensor:
    assert x.grad is not None
    return x.grad


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_clipping_and_averages(back_end: str, tmp_path: Path) -> None:
    text, expected = [LISP], {}
    for k, (most, norm_type) in enumerate(CLIPS):
        shown = "+inf.0" if norm_type == float("inf") else norm_type
        text.append(f'(clip "{k}" {most} {shown})')
        ps = with_gradients()
        expected[f"{k}.norm"] = clip_grad_norm_(ps, most, norm_type)
        expected |= {f"{k}.w": gradient(ps[0]), f"{k}.b": gradient(ps[1])}
    text.append("""
        (let ((ps (with-gradients)))
          (clip-grad-value! ps 2.5)
          (keep! "value" (tensor-grad (car ps)))
          (keep! "norm" (grad-norm ps))
          (keep! "none" (grad-norm (fresh))))
        (let ((ps (fresh)))
          (keep! "loss" (accumulate-gradients
                         (lambda (x y) (tensor-mean (square (- (@ x (car ps)) y))))
                         (tensor-chunk (tensor-reshape (tensor-arange 12.0) 6 2) 3)
                         (tensor-chunk (tensor-reshape (tensor-arange 6.0) 6 1) 3)))
          (keep! "accumulated" (tensor-grad (car ps))))
        (define (average name make updates)
          (let* ((w (requires-grad! [1.0 -2.0])) (e (make (list w))))
            (dotimes (k updates)
              (no-grad (tensor-add! w (* w (/ k 3.0))))
              (ema-update! e))
            (let ((e2 (load-ema-state! (make (list w)) (ema-state e))))
              (keep! name (with-ema e2 (tensor-copy w)))
              (keep! (string name ".w") w))))
        (average "ema" (lambda (ps) (ema ps :decay 0.9)) 7)
        (average "warm" (lambda (ps) (ema ps :decay 0.9 :warm-up #t)) 7)
        (average "swa" swa 5)
        (save-tensors "out.safetensors" kept)""")
    ps = with_gradients()
    clip_grad_value_(ps, 2.5)
    expected |= {"value": gradient(ps[0]), "norm": torch.linalg.vector_norm(
        torch.cat([gradient(ps[0]).flatten(), gradient(ps[1])])), "none": torch.tensor(0.0)}
    w = torch.tensor([[3.0, -4.0], [0.5, 1.0]], requires_grad=True)
    x, y = torch.arange(12.0).reshape(6, 2), torch.arange(6.0).reshape(6, 1)
    loss = (x @ w - y).square().mean()
    loss.backward()
    expected |= {"loss": loss.detach(), "accumulated": gradient(w)}
    expected |= averages()
    assert_close(saved_by("\n".join(text), back_end, tmp_path), expected)


def averages() -> dict[str, torch.Tensor]:
    """PyTorch's averages of a model with one parameter; the first update copies."""
    expected = {}
    for name, steps, averaging in (
        ("ema", 7, {"multi_avg_fn": get_ema_multi_avg_fn(0.9)}), ("swa", 5, {})
    ):
        module = torch.nn.Linear(2, 1, bias=False)
        with torch.no_grad():
            module.weight.copy_(torch.tensor([[1.0, -2.0]]))
        averaged = AveragedModel(module, **averaging)  # type: ignore[arg-type]
        if name == "ema":
            averaged.update_parameters(module)
        for k in range(steps):
            with torch.no_grad():
                module.weight.add_(module.weight * (k / 3.0))
            averaged.update_parameters(module)
        found = next(averaged.parameters())
        expected |= {name: found[0].detach(), f"{name}.w": module.weight[0].detach()}
    expected |= {"warm": corrected(0.9, 7), "warm.w": expected["ema.w"]}
    return expected


def corrected(decay: float, steps: int) -> torch.Tensor:
    """The average that begins as zeros, divided by the sum of its weights."""
    w, total = torch.tensor([1.0, -2.0]), torch.zeros(2)
    for k in range(steps):
        w = w + w * (k / 3.0)
        total = decay * total + (1 - decay) * w
    return total / (1 - decay**steps)
