"""Optimizers against torch.optim: steps, states both ways, sparse gradients.

Each test runs one program for all optimizers, on each back end.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.support.saved_tensors import assert_close, saved_by

BACK_ENDS = ("script", "executable")
STEPS = 20

Parameters = tuple[Tensor, Tensor, Tensor]


class Lion(torch.optim.Optimizer):
    """Chen et al. 2023, algorithm 2; PyTorch has none."""

    def __init__(
        self, params: Any, lr: float = 1e-4, betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0, maximize: bool = False, foreach: bool = False,
    ) -> None:
        super().__init__(params, {
            "lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize,
        })

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                g = -p.grad if group["maximize"] else p.grad
                m = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                update = (beta1 * m + (1 - beta1) * g).sign() + group["weight_decay"] * p
                p.sub_(group["lr"] * update)
                m.mul_(beta2).add_((1 - beta2) * g)


# A constructor and its arguments, and those of its second group, in Python's words; see `lisp_of`.
OPTIMIZERS: dict[str, tuple[type[torch.optim.Optimizer], dict[str, Any], dict[str, Any]]] = {
    "sgd": (torch.optim.SGD, {"lr": 0.05}, {"lr": 0.1}),
    "sgd-decay": (torch.optim.SGD, {"lr": 0.05, "weight_decay": 0.1}, {"weight_decay": 0.0}),
    "sgd-momentum": (
        torch.optim.SGD, {"lr": 0.05, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01},
        {"momentum": 0.5, "lr": 0.01},
    ),
    "sgd-nesterov": (
        torch.optim.SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True}, {"nesterov": False}
    ),
    "sgd-maximize": (
        torch.optim.SGD, {"lr": 0.01, "momentum": 0.9, "maximize": True}, {"weight_decay": 0.1}
    ),
    "adam": (torch.optim.Adam, {"lr": 0.05}, {"betas": (0.8, 0.95)}),
    "adam-amsgrad": (
        torch.optim.Adam, {"lr": 0.05, "amsgrad": True, "weight_decay": 0.1},
        {"amsgrad": False, "eps": 1e-3},
    ),
    "adam-maximize": (torch.optim.Adam, {"maximize": True}, {"lr": 0.02, "maximize": False}),
    "adamw": (torch.optim.AdamW, {"lr": 0.05}, {"weight_decay": 0.3}),
    "adamw-amsgrad": (
        torch.optim.AdamW, {"lr": 0.05, "amsgrad": True, "maximize": True}, {"betas": (0.7, 0.9)}
    ),
    "rmsprop": (torch.optim.RMSprop, {"lr": 0.02}, {"alpha": 0.9}),
    "rmsprop-centered": (
        torch.optim.RMSprop, {"lr": 0.02, "centered": True, "momentum": 0.9, "weight_decay": 0.1},
        {"centered": False, "eps": 1e-4},
    ),
    "rmsprop-maximize": (
        torch.optim.RMSprop, {"maximize": True, "momentum": 0.5},
        {"momentum": 0.0, "centered": True},
    ),
    "adagrad": (torch.optim.Adagrad, {"lr": 0.1}, {"lr_decay": 0.1}),
    "adagrad-initial": (
        torch.optim.Adagrad, {"lr": 0.1, "initial_accumulator_value": 0.5, "weight_decay": 0.1},
        {"lr": 0.2},
    ),
    "adagrad-maximize": (torch.optim.Adagrad, {"maximize": True}, {"eps": 1e-2}),
    "rmsprop-lists": (
        torch.optim.RMSprop, {"lr": 0.02, "momentum": 0.9, "weight_decay": 0.1, "foreach": True},
        {"centered": True, "maximize": True},
    ),
    "rmsprop-lists-plain": (torch.optim.RMSprop, {"lr": 0.02, "foreach": True}, {"alpha": 0.9}),
    "lion": (Lion, {"lr": 0.01}, {"betas": (0.8, 0.9)}),
    "lion-decay": (Lion, {"lr": 0.01, "weight_decay": 0.5}, {"maximize": True}),
    "lion-lists": (Lion, {"lr": 0.01, "weight_decay": 0.5, "foreach": True}, {"maximize": True}),
}


def lisp_of(value: Any) -> str:
    """A hyperparameter's value, or the keyword arguments for several."""
    match value:
        case bool():
            return "#t" if value else "#f"
        case tuple():
            return f"'({' '.join(map(repr, value))})"
        case dict():
            return "".join(f" :{k.replace('_', '-')} {lisp_of(v)}" for k, v in value.items())
        case _:
            return repr(value)


def constructed(name: str, w: str, b: str, c: str) -> str:
    """The form that creates an optimizer of two groups."""
    _, options, own = OPTIMIZERS[name]
    groups = f"(list (parameter-group (list {w} {b})) (parameter-group (list {c}){lisp_of(own)}))"
    return f"({name.partition('-')[0]} {groups}{lisp_of(options)})"


def constructed_by_torch(name: str, w: Tensor, b: Tensor, c: Tensor) -> torch.optim.Optimizer:
    kind, options, own = OPTIMIZERS[name]
    return kind([{"params": [w, b]}, {"params": [c], **own}], **options)  # type: ignore[arg-type]


# c has a gradient in every second step only.
LISP = """
(define (fresh)
  (map requires-grad! (list [[0.5 -1.0] [1.5 0.2] [-0.3 0.9]] [0.1 -0.4] [2.0 -1.0 0.5])))
(define (loss-of w b c k)
  (let ((loss (+ (tensor-sum (* (cos w) [[1.0 2.0] [0.5 1.5] [3.0 0.1]]))
                 (* (tensor-sum (tanh b)) (tensor-sum (sin w))))))
    (if (odd? k) (+ loss (tensor-sum (square (- c 1)))) loss)))
(define (train opt w b c from to)
  (do ((k from (+ k 1))) ((= k to))
    (backward (loss-of w b c k))
    (optimizer-step opt)
    (zero-grad opt)))
(define kept '())
(define (keep! name x) (set! kept (cons (cons name (detach x)) kept)))
(define (keep-all! name ps)
  (for-each (lambda (part x) (keep! (string name "." part) x)) '("w" "b" "c") ps))
(define (train-all name make)
  (let ((ps (fresh)))
    (apply train (apply make ps) (append ps '(0 STEPS)))
    (keep-all! name ps)))
""".replace("STEPS", str(STEPS))


def fresh() -> Parameters:
    values = ([[0.5, -1.0], [1.5, 0.2], [-0.3, 0.9]], [0.1, -0.4], [2.0, -1.0, 0.5])
    w, b, c = (torch.tensor(v, requires_grad=True) for v in values)
    return w, b, c


def train(optimizer: torch.optim.Optimizer, parameters: Parameters, steps: range) -> None:
    w, b, c = parameters
    for k in steps:
        weights = torch.tensor([[1.0, 2.0], [0.5, 1.5], [3.0, 0.1]])
        loss = (w.cos() * weights).sum() + b.tanh().sum() * w.sin().sum()
        if k % 2:
            loss = loss + (c - 1).square().sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def named(name: str, parameters: Parameters) -> Iterator[tuple[str, Tensor]]:
    return ((f"{name}.{part}", x.detach()) for part, x in zip("wbc", parameters, strict=True))


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_steps(back_end: str, tmp_path: Path) -> None:
    """20 steps with two groups, of which one is stepped every second time."""
    text, expected = [LISP], {}
    for name in OPTIMIZERS:
        text.append(f'(train-all "{name}" (lambda (w b c) {constructed(name, "w", "b", "c")}))')
        parameters = fresh()
        train(constructed_by_torch(name, *parameters), parameters, range(STEPS))
        expected |= dict(named(name, parameters))
    text.append(MIXED)
    for form, make in DTYPES.items():
        text.append(f'(train-mixed "{form}" (lambda (ps) {form}))')
        for x in trained_in_dtypes(make):
            expected[f"{form} {str(x.dtype).removeprefix('torch.')}"] = x
    text.append('(save-tensors "out.safetensors" kept)')
    assert_close(saved_by("\n".join(text), back_end, tmp_path), expected)


# Parameters of three dtypes in one group.
MIXED = """
(define (train-mixed name make)
  (let* ((dtypes '(float32 float64 bfloat16))
         (ps (map (lambda (dtype)
                    (requires-grad! (tensor [0.5 -1.5 2.0] :dtype dtype)))
                  dtypes))
         (opt (make ps)))
    (dotimes (k 8)
      (for-each (lambda (p) (backward (tensor-sum (* p p p)))) ps)
      (optimizer-step opt)
      (zero-grad opt))
    (for-each (lambda (dtype p) (keep! (string name " " dtype) p)) dtypes ps)))
"""

DTYPES: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "(adam ps :lr 0.1)": lambda ps: torch.optim.Adam(ps, 0.1, fused=True),
    "(adamw ps :lr 0.1)": lambda ps: torch.optim.AdamW(ps, 0.1, fused=True),
    "(sgd ps :lr 0.01 :momentum 0.5)": lambda ps: torch.optim.SGD(ps, 0.01, 0.5, fused=True),
    "(adagrad ps :lr 0.1)": lambda ps: torch.optim.Adagrad(ps, 0.1, fused=True),
    "(rmsprop ps :lr 0.1)": lambda ps: torch.optim.RMSprop(ps, 0.1, foreach=False),
}


def trained_in_dtypes(make: Callable[[Any], torch.optim.Optimizer]) -> list[Tensor]:
    ps = [torch.tensor([0.5, -1.5, 2.0], dtype=dtype, requires_grad=True)
          for dtype in (torch.float32, torch.float64, torch.bfloat16)]
    optimizer = make(ps)
    for _ in range(8):
        for p in ps:
            (p * p * p).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return [p.detach() for p in ps]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_states_cross_both_ways(back_end: str, tmp_path: Path) -> None:
    """PyTorch takes 5 steps, we take 5 from its state, and PyTorch 5 from ours."""
    text = [LISP, """
        (define (keep-state! name opt)
          (let ((state (optimizer-state opt)))
            (for-each (lambda (entry)
                        (for-each (lambda (part)
                                    (keep! (string name "/" (car entry) "/" (car part))
                                           (cdr part)))
                                  (cdr entry)))
                      (cdr (assoc "state" state)))
            (with-output-to-file (string name ".json")
              (lambda ()
                (write-json (list->vector
                             (map alist->hash-table (cdr (assoc "param_groups" state)))))))))
        (define (resume name make)
          (let* ((saved (load-state-dict (string name ".pt")))
                 (ps (map (lambda (x) (requires-grad! (tensor-copy x))) (hash-ref saved "x")))
                 (opt (apply make ps)))
            (load-optimizer-state! opt (hash-ref saved "o"))
            (apply train opt (append ps '(5 10)))
            (keep-all! name ps)
            (keep-state! name opt)))"""]
    expected: dict[str, Tensor] = {}
    whole: dict[str, tuple[torch.optim.Optimizer, Parameters]] = {}
    for name in OPTIMIZERS:
        parameters = fresh()
        optimizer = constructed_by_torch(name, *parameters)
        train(optimizer, parameters, range(5))
        if name.startswith("lion"):
            for state in optimizer.state.values():
                state["step"] = 5
        values = [x.detach().clone() for x in parameters]
        torch.save({"x": values, "o": optimizer.state_dict()}, tmp_path / f"{name}.pt")
        text.append(f'(resume "{name}" (lambda (w b c) {constructed(name, "w", "b", "c")}))')
        train(optimizer, parameters, range(5, 10))
        expected |= dict(named(name, parameters))
        whole[name] = optimizer, parameters
    text.append('(save-tensors "out.safetensors" kept)')
    found = saved_by("\n".join(text), back_end, tmp_path)
    assert_close({k: v for k, v in found.items() if "/" not in k}, expected)
    for name, (optimizer, parameters) in whole.items():
        copies = tuple(x.detach().clone().requires_grad_() for x in parameters)
        resumed = constructed_by_torch(name, *copies)
        resumed.load_state_dict(state_from(found, name, tmp_path))
        for train_one, values in ((optimizer, parameters), (resumed, copies)):
            train(train_one, values, range(10, 15))
        assert_close(dict(named(name, copies)), dict(named(name, parameters)))


def state_from(found: dict[str, Tensor], name: str, folder: Path) -> dict[str, Any]:
    """The state dict of an optimizer that the program saved."""
    state: dict[int, dict[str, Tensor]] = {0: {}, 1: {}, 2: {}}
    for key, value in found.items():
        optimizer, _, rest = key.partition("/")
        if optimizer == name and rest:
            number, part = rest.split("/")
            state[int(number)][part] = value
    return {"state": state, "param_groups": json.loads((folder / f"{name}.json").read_text())}


SPARSE: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "(sgd ps :lr 0.5)": lambda ps: torch.optim.SGD(ps, lr=0.5),
    "(sgd ps :lr 0.1 :maximize #t)": lambda ps: torch.optim.SGD(ps, lr=0.1, maximize=True),
    "(adagrad ps :lr 0.5 :lr-decay 0.1)": lambda ps: torch.optim.Adagrad(ps, 0.5, lr_decay=0.1),
    "(adagrad ps :initial-accumulator-value 0.1)": lambda ps: torch.optim.Adagrad(
        ps, initial_accumulator_value=0.1
    ),
}


# Every second element of a vector, and complex numbers.
STRIDED = """
(define (train-strided name make)
  (let* ((all (tensor-arange 8.0))
         (w (requires-grad! (tensor-as-strided all '(4) '(2))))
         (z (requires-grad! (tensor-complex [1.0 2.0] [0.5 -1.0])))
         (opt (make (list w z))))
    (dotimes (k 5)
      (backward (+ (tensor-sum (square (- w 3)))
                   (tensor-sum (square (tensor-abs (- z 1))))))
      (optimizer-step opt)
      (zero-grad opt))
    (list (cons (string name " w") all)
          (cons (string name " z") (tensor-view-as-real (detach z))))))
"""


def trained_strided(make: Callable[[Any], torch.optim.Optimizer]) -> list[Tensor]:
    every = torch.arange(8.0)
    w = every[::2].requires_grad_()
    z = torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0])).requires_grad_()
    optimizer = make([w, z])
    for group in optimizer.param_groups:  # the fused operators are wrong for such parameters
        group["fused"] = group["foreach"] = False
    for _ in range(5):
        ((w - 3).square().sum() + (z - 1).abs().square().sum()).backward()
        optimizer.step()
        optimizer.zero_grad()
    return [every, z.detach()]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_gradients_that_lie_differently(back_end: str, tmp_path: Path) -> None:
    """Sparse ones beside dense ones in the same group; of strided and complex parameters."""
    text = ["""
        (define (train name make)
          (let* ((w (requires-grad! (tensor-reshape (tensor-linspace -1 1 12) 4 3)))
                 (b (requires-grad! [0.5 -0.5 1.0]))
                 (opt (make (list w b))))
            (dotimes (k 5)
              (backward (tensor-sum (square (+ b (tensor-embedding w [0 2 k 2] :sparse #t)))))
              (optimizer-step opt)
              (zero-grad opt))
            (list (cons (string name ".w") (detach w)) (cons (string name ".b") (detach b)))))"""]
    expected = {}
    calls = []
    for form, make in SPARSE.items():
        calls.append(f'(train "{form}" (lambda (ps) {form}))')
        w = torch.linspace(-1, 1, 12).reshape(4, 3).requires_grad_()
        b = torch.tensor([0.5, -0.5, 1.0], requires_grad=True)
        optimizer = make([w, b])
        for k in range(5):
            rows = torch.nn.functional.embedding(torch.tensor([0, 2, k % 4, 2]), w, sparse=True)
            (b + rows).square().sum().backward()
            with torch.sparse.check_sparse_tensor_invariants():
                optimizer.step()
            optimizer.zero_grad()
        expected |= {f"{form}.w": w.detach(), f"{form}.b": b.detach()}
    for form, make in DTYPES.items():
        calls.append(f'(train-strided "{form}" (lambda (ps) {form}))')
        w, z = trained_strided(make)
        expected |= {f"{form} w": w, f"{form} z": torch.view_as_real(z)}
    text.append(STRIDED)
    text.append(f'(save-tensors "out.safetensors" (append {" ".join(calls)}))')
    assert_close(
        saved_by("\n".join(text).replace("2 k 2", "2 (modulo k 4) 2"), back_end, tmp_path), expected
    )


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_memory_is_flat_over_ten_thousand_steps(back_end: str, tmp_path: Path) -> None:
    """Of several optimizers with a schedule, clipping and an average."""
    text = """
        (define w (requires-grad! (tensor-ones 4 3)))
        (define b (requires-grad! (tensor-ones 3)))
        (define x (tensor-ones 2 4))
        (define (steps opt schedule average n)
          (dotimes (k n)
            (backward (tensor-mean (square (+ (@ x w) b))))
            (clip-grad-norm! (list w b) 1.0)
            (optimizer-step opt)
            (zero-grad opt)
            (schedule-step! schedule)
            (ema-update! average)))
        (define (all n)
          (for-each (lambda (make)
                      (let ((opt (make (list w b))))
                        (steps opt (cosine-schedule opt :steps 10) (ema (list w b)) n)))
                    (list (lambda (ps) (adam ps)) (lambda (ps) (sgd ps :momentum 0.9))
                          (lambda (ps) (rmsprop ps)) (lambda (ps) (lion ps)))))
        (define (pages)
          (string->number (cadr (string-split (car (read-lines "/proc/self/statm"))))))
        (define (live) (cdr (assq 'live-handles (tensor-memory))))
        (all 250)
        (define tensors (live))
        (define before (pages))
        (all 2500)
        (define grown (- (pages) before))
        (unless (and (= (live) tensors) (< grown 500))
          (error "memory grew:" (- (live) tensors) grown))
        (save-tensors "out.safetensors" (list (cons "grown" (tensor grown))))"""
    assert saved_by(text, back_end, tmp_path)["grown"] < 500  # pages of 4 KiB
