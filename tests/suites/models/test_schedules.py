"""Schedules against torch.optim.lr_scheduler, in every step, with two groups; their states."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.optim import lr_scheduler as lrs

from tests.support.saved_tensors import assert_close, saved_by

BACK_ENDS = ("script", "executable")
STEPS = 24

Optimizer = torch.optim.Optimizer


def warmup_cosine(warmup: int, steps: int, least: float) -> Callable[[Optimizer], Any]:
    """The usual formula, as a LambdaLR for each group."""

    def factor(base: float) -> Callable[[int], float]:
        def at(step: int) -> float:
            if step < warmup:
                return step / warmup
            progress = min(1.0, (step - warmup) / (steps - warmup))
            return (least + (base - least) * 0.5 * (1 + math.cos(math.pi * progress))) / base

        return at

    return lambda o: lrs.LambdaLR(o, [factor(0.5), factor(0.1)])


SCHEDULES: dict[str, Callable[[Optimizer], Any]] = {
    "(step-schedule o :step-size 5 :gamma 0.3)": lambda o: lrs.StepLR(o, 5, 0.3),
    "(multi-step-schedule o :milestones '(3 7 7 20))": lambda o: lrs.MultiStepLR(o, [3, 7, 7, 20]),
    "(exponential-schedule o :gamma 0.9)": lambda o: lrs.ExponentialLR(o, 0.9),
    "(constant-schedule o :factor 0.2 :steps 6)": lambda o: lrs.ConstantLR(o, 0.2, 6),
    "(constant-schedule o)": lrs.ConstantLR,
    "(linear-schedule o)": lrs.LinearLR,
    "(linear-schedule o :start-factor 1 :end-factor 0.1 :steps 20)": lambda o: lrs.LinearLR(
        o, 1.0, 0.1, 20
    ),
    "(polynomial-schedule o :steps 10 :power 2)": lambda o: lrs.PolynomialLR(o, 10, 2.0),
    "(cosine-schedule o :steps 10)": lambda o: lrs.CosineAnnealingLR(o, 10),
    "(cosine-schedule o :steps 7 :min-lr 0.01)": lambda o: lrs.CosineAnnealingLR(o, 7, 0.01),
    "(cosine-restarts-schedule o :steps 5)": lambda o: lrs.CosineAnnealingWarmRestarts(o, 5),
    "(cosine-restarts-schedule o :steps 3 :factor 2 :min-lr 0.01)": (
        lambda o: lrs.CosineAnnealingWarmRestarts(o, 3, 2, 0.01)
    ),
    "(warmup-cosine-schedule o :warmup 5 :steps 20)": warmup_cosine(5, 20, 0.0),
    "(warmup-cosine-schedule o :warmup 0 :steps 24 :min-lr 0.02)": warmup_cosine(0, 24, 0.02),
    "(one-cycle-schedule o :max-lr 1 :steps 24)": lambda o: lrs.OneCycleLR(o, 1.0, 24),
    "(one-cycle-schedule o :max-lr '(1.0 0.5) :steps 30 :pct-start 0.4 :anneal 'linear"
    " :div-factor 10 :final-div-factor 100 :base-momentum 0.7)": lambda o: lrs.OneCycleLR(
        o, [1.0, 0.5], 30, pct_start=0.4, anneal_strategy="linear", div_factor=10,
        final_div_factor=100, base_momentum=0.7,
    ),
    "(one-cycle-schedule o :max-lr 2 :steps 25 :three-phase #t :cycle-momentum #f)": (
        lambda o: lrs.OneCycleLR(o, 2.0, 25, three_phase=True, cycle_momentum=False)
    ),
    "(lambda-schedule o (lambda (k) (/ 1 (+ 1 k))))": lambda o: lrs.LambdaLR(
        o, lambda k: 1 / (1 + k)
    ),
    "(lambda-schedule o (list (lambda (k) 0.5) (lambda (k) (expt 0.9 k))))": (
        lambda o: lrs.LambdaLR(o, [lambda k: 0.5, lambda k: 0.9**k])
    ),
    "(multiplicative-schedule o (lambda (k) (if (odd? k) 0.8 1.1)))": (
        lambda o: lrs.MultiplicativeLR(o, lambda k: 0.8 if k % 2 else 1.1)
    ),
    "(chained-schedule (constant-schedule o :factor 0.1 :steps 4)"
    " (exponential-schedule o :gamma 0.9))": lambda o: lrs.ChainedScheduler(
        [lrs.ConstantLR(o, 0.1, 4), lrs.ExponentialLR(o, 0.9)]
    ),
    "(chained-schedule (linear-schedule o :steps 6) (step-schedule o :step-size 4)"
    " (cosine-schedule o :steps 20))": lambda o: lrs.ChainedScheduler(
        [lrs.LinearLR(o, total_iters=6), lrs.StepLR(o, 4), lrs.CosineAnnealingLR(o, 20)]
    ),
    "(sequential-schedule (list (linear-schedule o :start-factor 0.1 :steps 6)"
    " (cosine-schedule o :steps 10) (exponential-schedule o :gamma 0.9)) :milestones '(6 14))": (
        lambda o: lrs.SequentialLR(
            o,
            [lrs.LinearLR(o, 0.1, total_iters=6), lrs.CosineAnnealingLR(o, 10),
             lrs.ExponentialLR(o, 0.9)],
            [6, 14],
        )
    ),
    "(sequential-schedule (list (constant-schedule o :steps 3)"
    " (cosine-restarts-schedule o :steps 4 :factor 2)) :milestones '(5))": (
        lambda o: lrs.SequentialLR(
            o, [lrs.ConstantLR(o, total_iters=3), lrs.CosineAnnealingWarmRestarts(o, 4, 2)], [5]
        )
    ),
}

PLATEAUS: dict[str, Callable[[Optimizer], Any]] = {
    "(plateau-schedule o :patience 2)": lambda o: lrs.ReduceLROnPlateau(o, patience=2),
    "(plateau-schedule o :mode 'max :patience 1 :factor 0.5 :cooldown 2 :min-lr '(0.05 0.02))": (
        lambda o: lrs.ReduceLROnPlateau(
            o, "max", 0.5, 1, cooldown=2, min_lr=[0.05, 0.02]
        )
    ),
    "(plateau-schedule o :patience 0 :threshold 0.3 :threshold-mode 'abs :factor 0.9)": (
        lambda o: lrs.ReduceLROnPlateau(o, factor=0.9, patience=0, threshold=0.3,
                                        threshold_mode="abs")
    ),
}

METRICS = [3.0, 2.0, 1.5, 1.5, 1.6, 1.4999, 1.2, 1.1, 1.3, 1.4, 1.5, 1.6, 1.0, 1.0, 1.0, 1.0,
           0.9, 0.8, 0.9, 0.9, 0.9, 0.95, 0.7, 0.69]

LISP = """
(define w (requires-grad! [1.0 2.0]))
(define v (requires-grad! [3.0]))
(define (new-optimizer)
  (sgd (list (parameter-group (list w) :lr 0.5) (parameter-group (list v))) :lr 0.1 :momentum 0.9))
(define (row o)
  (append (learning-rates o)
          (map (lambda (k) (hyperparameter o 'momentum :group k)) '(0 1))))
(define (follow name make step!)   ; half of the steps by a schedule that continues from its state
  (let* ((o (new-optimizer)) (s (make o)) (rows (list (row o))))
    (dotimes (k HALF) (step! s k) (set! rows (cons (row o) rows)))
    (let* ((o2 (new-optimizer)) (s2 (make o2)))
      (load-optimizer-state! o2 (optimizer-state o))
      (load-schedule-state! s2 (schedule-state s))
      (dotimes (k HALF) (step! s2 (+ k HALF)) (set! rows (cons (row o2) rows))))
    (set! kept (cons (cons name (tensor (reverse rows) :dtype 'float64)) kept))))
(define kept '())
(define metrics '(METRICS))
""".replace("HALF", str(STEPS // 2)).replace("METRICS", " ".join(map(str, METRICS)))


def rows_of(make: Callable[[Optimizer], Any], metrics: bool) -> torch.Tensor:
    w, v = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([{"params": [w], "lr": 0.5}, {"params": [v]}], 0.1, 0.9)
    schedule = make(optimizer)
    rows = []
    for k in range(STEPS + 1):
        groups = optimizer.param_groups
        rows.append([group[name] for name in ("lr", "momentum") for group in groups])
        if k < STEPS:
            optimizer.step()
            schedule.step(*([METRICS[k]] if metrics else []))
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_schedules(back_end: str, tmp_path: Path) -> None:
    """Rates and momenta in all steps; the state is taken over halfway."""
    text, expected = [LISP], {}
    for k, (form, make) in enumerate([*SCHEDULES.items(), *PLATEAUS.items()]):
        metrics = form in PLATEAUS
        step = "(lambda (s k) (schedule-step! s (list-ref metrics k)))"
        text.append(f'(follow "{k}" (lambda (o) {form}) '
                    f'{step if metrics else "(lambda (s k) (schedule-step! s))"})')
        expected[str(k)] = rows_of(make, metrics)
    text.append('(save-tensors "out.safetensors" kept)')
    assert_close(saved_by("\n".join(text), back_end, tmp_path), expected, relative=1e-9)
