"""Random procedures of operators, views and in-place operators, compared with Python's torch.

They return a list of some of their variables.  So the test finds tensors that were freed too early,
or whose storage was reused while it was still visible (`ctorch/dispatch/reuse.cpp`,
`lang/interp/emit/forward_substitution.py`).
"""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.support.programs_run import command_of, run

torch = pytest.importorskip("torch")

PROCEDURES, ALL_PROCEDURES = 60, 1000
MANY = 250  # in one program
SIDE = 2  # all tensors are square matrices

Value = torch.Tensor
UNARY = ("exp", "neg", "relu", "sigmoid", "abs", "square", "tanh")
IN_PLACE = ("exp", "neg", "relu", "abs")
BINARY = ("add", "mul", "sub")
VIEWS = ("contiguous", "detach", "t", "clone")


class Procedure:
    """The Lisp text of a procedure, with the lists of elements that it must return."""

    def __init__(self, name: str, dice: random.Random) -> None:
        self.dice = dice
        inputs = [self.input() for _ in "xy"]
        self.variables = dict(zip("xy", inputs, strict=True))
        arguments = " ".join(_written(x) for x in inputs)
        bindings = [self.binding(f"v{k}") for k in range(dice.randrange(3, 9))]
        kept = [*dice.sample(list(self.variables), dice.randrange(1, 4)), list(self.variables)[-1]]
        self.text = (
            f"(define ({name} x y)\n  (let* ({' '.join(bindings)})\n    (list {' '.join(kept)})))\n"
            f"(for-each show ({name} {arguments}))\n"
        )
        self.expected = [self.variables[variable].reshape(-1).tolist() for variable in kept]

    def input(self) -> Value:
        return torch.tensor([
            [self.dice.randrange(-8, 8) / 4 for _ in range(SIDE)] for _ in range(SIDE)
        ])

    def binding(self, variable: str) -> str:
        text, value = self.expression(self.dice.choice((1, 1, 1, 2, 3)))
        self.variables[variable] = value
        return f"({variable} {text})"

    def expression(self, depth: int) -> tuple[str, Value]:
        """The Lisp text and the Python value; operators in place change the Python value, too."""
        sorts = (self.mention, self.unary, self.binary, self.view, self.in_place)
        make: Callable[[int], tuple[str, Value]] = self.dice.choices(sorts, (6, 5, 4, 3, 2))[0]
        return make(depth - 1) if depth else self.mention(0)

    def mention(self, _: int) -> tuple[str, Value]:
        """A variable, most often one of the last."""
        names = list(self.variables)
        name = self.dice.choice(names[-3:] if self.dice.random() < 0.7 else names)
        return name, self.variables[name]

    def unary(self, depth: int) -> tuple[str, Value]:
        operator = self.dice.choice(UNARY)
        text, value = self.expression(depth)
        return f"(tensor-{operator} {text})", getattr(torch, operator)(value)

    def binary(self, depth: int) -> tuple[str, Value]:
        operator = self.dice.choice(BINARY)
        text, value = self.expression(depth)
        other: str
        operand: Value | float
        if self.dice.random() < 0.4:
            operand = self.dice.choice((0.5, 2.0, -1.0))
            other = str(operand)
        else:
            other, operand = self.expression(depth)
        return f"(tensor-{operator} {text} {other})", getattr(torch, operator)(value, operand)

    def view(self, depth: int) -> tuple[str, Value]:
        text, value = self.expression(depth)
        if self.dice.random() < 0.2:
            return f"(tensor-reshape {text} {SIDE} {SIDE})", value.reshape(SIDE, SIDE)
        operator = self.dice.choice(VIEWS)
        return f"(tensor-{operator} {text})", getattr(value, operator)()

    def in_place(self, depth: int) -> tuple[str, Value]:
        operator = self.dice.choice(IN_PLACE)
        text, value = self.expression(depth)
        return f"(tensor-{operator}! {text})", getattr(value, f"{operator}_")()


def _written(x: Value) -> str:
    return "[" + " ".join(f"[{' '.join(map(str, row))}]" for row in x.tolist()) + "]"


SHOW = "(define (show x) (print (tensor->list (tensor-reshape x -1))))\n"


def test_same_storage_sharing_as_python(back_end: str, tmp_path: Path, all_random: bool) -> None:
    count = ALL_PROCEDURES if all_random else PROCEDURES
    for start in range(0, count, MANY):
        seeds = range(start, min(start + MANY, count))
        check([Procedure(f"f{seed}", random.Random(seed)) for seed in seeds], back_end, tmp_path)


def check(procedures: list[Procedure], back_end: str, folder: Path) -> None:
    text = SHOW + "".join(procedure.text for procedure in procedures)
    done = run(command_of(text, back_end, folder), folder)
    assert (done.errors, done.status, done.leaks) == ("", 0, "")
    shown = iter(done.output.splitlines())
    for procedure in procedures:
        for expected in procedure.expected:
            assert _read(next(shown)) == pytest.approx(expected, 1e-4, 1e-4, True), procedure.text


def _read(shown: str) -> list[float]:
    """`(1.0 +inf.0)`"""
    return [float(number.removesuffix(".0")) for number in shown.strip("()").split()]
