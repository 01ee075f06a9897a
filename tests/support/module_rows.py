"""Compares modules of Lambent with PyTorch's, many in one program.

    Row("(linear 3 2)", lambda: nn.Linear(3, 2), (x,))
    =>  with the same seed, the same initial state; with the same state, in training and in
        evaluation, the same results, gradients of parameters and inputs, and buffers

The program reads states and inputs from a file, and saves what it calculates in another.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from tests.support.saved_tensors import assert_close, saved_by

IN = "in.safetensors"  # in the folder where the program runs

_DRIVER = """
(define given (load-tensors "in.safetensors"))
(define kept '())
(define (keep! name x)
  (set! kept (cons (cons name (tensor-copy (tensor-contiguous (detach x)))) kept)))
(define (name k part path) (string k "/" part "/" path))
(define (load-state! m k)
  (for-each (lambda (entry)
              (no-grad (tensor-copy! (cdr entry) (hash-ref given (name k "state" (car entry))))))
            (state-dict m)))
(define (inputs k count)
  (map (lambda (j)
         (let ((x (tensor-copy (hash-ref given (name k "x" j)))))
           (if (tensor-is-floating-point x) (requires-grad! x) x)))
       (iota count)))
(define (run! k mode m count call)
  (manual-seed k)
  (let* ((xs (inputs k count))
         (ys (filter tensor? (call m xs)))
         (losses (map (lambda (y j) (tensor-sum (* y (hash-ref given (name k mode j)))))
                      ys (iota (length ys)))))
    (for-each (lambda (y j) (keep! (name k mode (string "y" j)) y)) ys (iota (length ys)))
    (when (any requires-grad? losses)
      (backward (fold + 0 losses)))
    (for-each (lambda (x j)
                (when (and (requires-grad? x) (tensor? (tensor-grad x)))
                  (keep! (name k mode (string "dx" j)) (tensor-grad x))))
              xs (iota count))
    (for-each (lambda (entry)
                (when (tensor? (tensor-grad (cdr entry)))
                  (keep! (name k mode (string "d " (car entry))) (tensor-grad (cdr entry)))
                  (zero-grad! (cdr entry))))
              (named-parameters m))
    (for-each (lambda (entry) (keep! (name k mode (car entry)) (cdr entry)))
              (named-buffers m))))
(define (check k make count call)
  (manual-seed k)
  (let ((m (make)))
    (for-each (lambda (entry) (keep! (name k "initial" (car entry)) (cdr entry)))
              (state-dict m))
    (load-state! m k)
    (run! k "train" m count call)
    (eval-mode! m)
    (run! k "eval" m count call)
    m))
(define (learn! m)
  (no-grad
    (for-each (lambda (p) (tensor-sub! p (* 0.1 (tensor-sin (* 50 p))))) (parameters m))))
(define (crossed k make count call)
  (let ((m (check k make count call)))
    (learn! m)
    (cross k m count call)))
(define (cross k m count call)
  (for-each (lambda (entry) (keep! (name k "after" (car entry)) (cdr entry))) (state-dict m))
  (for-each (lambda (y j) (keep! (name k "crossed" (string "y" j)) y))
            (filter tensor? (call m (inputs k count)))
            (iota 10)))
"""


def _call(module: nn.Module, *inputs: Tensor) -> Any:
    return module(*inputs)


@dataclass(frozen=True, slots=True)
class Row:
    """lisp creates the module; call, where given, calls it as m with the inputs x0, x1 ..."""

    lisp: str
    module: Callable[[], nn.Module]
    inputs: tuple[Tensor, ...]
    call: str = ""
    torch_call: Callable[..., Any] = _call

    def text(self, k: int, cross: bool) -> str:
        """The call of `check` or `crossed` in the program."""
        names = [f"x{j}" for j in range(len(self.inputs))]
        call = self.call or f"(m {' '.join(names)})"
        bound = " ".join(f"({x} (list-ref xs {j}))" for j, x in enumerate(names))
        check = "crossed" if cross else "check"
        return (
            f"(let ((call (lambda (m xs) (let ({bound})"
            f" (call-with-values (lambda () {call}) list)))))\n"
            f"  ({check} {k} (lambda () {self.lisp}) {len(names)} call))\n"
        )


def check_rows(
    rows: list[Row], back_end: str, folder: Path, prelude: str = "", cross: bool = False
) -> None:
    """Run all rows in one program after the prelude, and compare what it saved.

    cross: the program also changes the parameters, and PyTorch's modules must then load its state,
    and calculate the same from it.
    """
    given: dict[str, Tensor] = {}
    expected: dict[str, Tensor] = {}
    starts: dict[str, Tensor] = {}
    for k, row in enumerate(rows):
        _calculate(k, row, given, expected, starts)
    save_file({name: x.contiguous().clone() for name, x in given.items()}, folder / IN)
    text = _DRIVER + prelude + "".join(row.text(k, cross) for k, row in enumerate(rows))
    found = saved_by(text + '(save-tensors "out.safetensors" kept)\n', back_end, folder)
    for name, start in starts.items():
        assert name in found, (name, rows[int(name.split("/")[0])].lisp)
        assert torch.equal(found.pop(name), start), (name, rows[int(name.split("/")[0])].lisp)
    if cross:
        for k, row in enumerate(rows):
            _load_back(k, row, found, expected)
    try:
        assert_close(found, expected)
    except AssertionError as error:
        used = {name.split("/")[0] for name in (*found, *expected) if name in str(error)}
        lines = [rows[int(k)].lisp for k in sorted(used)]
        raise AssertionError(f"{lines[:5]}: {error}") from None


def _calculate(
    k: int, row: Row, given: dict[str, Tensor], expected: dict[str, Tensor],
    starts: dict[str, Tensor],
) -> None:
    """Add what the program needs, and what it must save, for one row."""
    torch.manual_seed(k)
    module = row.module()
    for path, x in module.state_dict().items():
        starts[f"{k}/initial/{path}"] = x.clone()
    _disturb(module, k)
    for path, x in module.state_dict().items():
        given[f"{k}/state/{path}"] = x.clone()
    for j, x in enumerate(row.inputs):
        given[f"{k}/x/{j}"] = x
    for mode in ("train", "eval"):
        module.train(mode == "train")
        _run(k, mode, row, module, given, expected)


def _disturb(module: nn.Module, k: int) -> None:
    """Move the state away from its initial values; variances stay positive."""
    dice = torch.Generator().manual_seed(1000 + k)
    with torch.no_grad():
        for x in module.state_dict().values():
            if x.is_floating_point():
                x.add_(torch.rand(x.shape, generator=dice) * 0.1)
            else:
                x.add_(3)


def _run(
    k: int, mode: str, row: Row, module: nn.Module, given: dict[str, Tensor],
    expected: dict[str, Tensor],
) -> None:
    torch.manual_seed(k)
    xs = [x.clone().requires_grad_(x.is_floating_point()) for x in row.inputs]
    results = _tensors(row.torch_call(module, *xs))
    dice = torch.Generator().manual_seed(k)
    loss = torch.zeros(())
    for j, y in enumerate(results):
        weights = torch.rand(y.shape, generator=dice)
        given[f"{k}/{mode}/{j}"] = weights
        expected[f"{k}/{mode}/y{j}"] = y
        loss = loss + (y * weights).sum()
    module.zero_grad()
    if loss.requires_grad:
        loss.backward()
    for j, x in enumerate(xs):
        if x.grad is not None:
            expected[f"{k}/{mode}/dx{j}"] = x.grad
    for path, parameter in module.named_parameters():
        if parameter.grad is not None:
            expected[f"{k}/{mode}/d {path}"] = parameter.grad.clone()
    for path, buffer in module.named_buffers():
        expected[f"{k}/{mode}/{path}"] = buffer.clone()


def _load_back(
    k: int, row: Row, found: dict[str, Tensor], expected: dict[str, Tensor]
) -> None:
    """Let PyTorch's module load the state that the program saved, and calculate from it."""
    prefix = f"{k}/after/"
    names = [name for name in found if name.startswith(prefix)]
    module = row.module().eval()
    module.load_state_dict({name.removeprefix(prefix): found.pop(name) for name in names})
    for j, y in enumerate(_tensors(row.torch_call(module, *row.inputs))):
        expected[f"{k}/crossed/y{j}"] = y


def _tensors(results: Any) -> list[Tensor]:
    """The tensors in a result, which PyTorch nests in tuples."""
    if isinstance(results, Tensor):
        return [results]
    if isinstance(results, tuple | list):
        return [x for result in results for x in _tensors(result)]
    return []
