"""Tensor calls: the overhead between a program and LibTorch, and the cost of temporaries.

    one call of a small operator, ns      C++  executable   generic  script  Python torch
      add                               472.1  480.2  1.02  ...

Python and C++ use LibTorch's own allocator and its own conversion of numbers to tensors; the note
below the table says where that alone makes them slower.
"""

import statistics
from dataclasses import dataclass

from tests.bench.build import LAMBENT, PEERS, PROGRAMS, PYTHON, compile_cpp, compile_lisp
from tests.bench.measure import Command, output

OPERATORS = ("add", "mul", "matmul", "view", "slice", "row", "sum", "number", "softmax")
CALLS = "4000"  # at once, of which programs/tiny.lisp takes the median of 21
CPP, TYPED, GENERIC, SCRIPT, PYTHON_TORCH = (
    "C++ LibTorch", "executable", "generic", "script", "Python torch",
)  # fmt: skip
COLUMNS = (CPP, TYPED, GENERIC, SCRIPT, PYTHON_TORCH)
# A column's figure should be at most so many times that of a peer.
TARGETS = {TYPED: (CPP, 1.05), GENERIC: (CPP, 1.15), SCRIPT: (PYTHON_TORCH, 1.0)}
ONE_THREAD = ("/usr/bin/env", "OMP_NUM_THREADS=1")  # softmax uses all threads, even for few rows
CHAIN_TIMES = "10"
NOTE = """\
row is (tensor-ref m 1), number is (+ a 2.0), softmax that of rows.  Beside each figure is how
  many times it is the target's: C++ LibTorch for executables (typed: the compiler knows that the
  arguments are tensors; generic: it does not), Python torch for the script.
  Where ours is faster than C++ LibTorch: tensors come from an allocator that keeps small blocks,
  and a number beside a float32 tensor becomes float32 at once."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Nanoseconds by operator and contender."""

    figures: dict[str, dict[str, float]]

    def ratio(self, operator: str, column: str) -> float:
        peer, _ = TARGETS[column]
        return self.figures[operator][column] / self.figures[operator][peer]

    def is_met(self, operator: str, column: str) -> bool:
        return self.ratio(operator, column) <= TARGETS[column][1]


def measure_calls(rounds: int) -> Grid:
    """The contenders alternate, so that a busy moment affects all of them."""
    program = PROGRAMS / "tiny.lisp"
    commands: dict[str, Command] = {
        CPP: [compile_cpp(PEERS / "tiny.cpp"), CALLS],
        TYPED: [compile_lisp(program), CALLS],
        SCRIPT: [LAMBENT, program, CALLS],
        PYTHON_TORCH: [PYTHON, PEERS / "tiny_torch.py", CALLS],
    }
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds):
        for contender, command in commands.items():
            for sort, operator, figure in _lines(output([*ONE_THREAD, *command])):
                is_generic = contender == TYPED and sort == "generic"
                column = GENERIC if is_generic else contender
                if sort == "typed" or is_generic:
                    found.setdefault((operator, column), []).append(figure)
    return Grid({
        operator: {column: statistics.median(found[operator, column]) for column in COLUMNS}
        for operator in OPERATORS
    })


def _lines(text: str) -> list[tuple[str, str, float]]:
    """`(typed add) 471.2`"""
    lines = [line.replace("(", "").replace(")", "").split() for line in text.splitlines()]
    return [(sort, operator, float(figure)) for sort, operator, figure in lines]


def grid_text(grid: Grid) -> str:
    heads = [CPP, *(f"{column:>{14}}" for column in COLUMNS[1:-1]), PYTHON_TORCH]
    lines = ["one call of a small operator, one thread, ns", "  " + " " * 9 + "  ".join(heads)]
    for operator in OPERATORS:
        cells = [_cell(grid, operator, column) for column in COLUMNS]
        lines.append(f"  {operator:9}" + "  ".join(cells))
    for column, (peer, limit) in TARGETS.items():
        missed = [o for o in OPERATORS if not grid.is_met(o, column)]
        worst = max(grid.ratio(operator, column) for operator in OPERATORS)
        claim = f"{column}: at most {worst:.2f}x of {peer}, to be at most {limit:.2f}x"
        verdict = "ok" if not missed else f"MISSED by {', '.join(missed)}"
        lines.append(f"  {claim:70}{verdict}")
    return "\n".join([*lines, f"  {NOTE}"])


def _cell(grid: Grid, operator: str, column: str) -> str:
    figure = f"{grid.figures[operator][column]:.0f}"
    if column in (CPP, PYTHON_TORCH):
        return f"{figure:>{len(column)}}"
    mark = " " if grid.is_met(operator, column) else "!"
    return f"{figure:>8} {grid.ratio(operator, column):.2f}{mark}"


def grid_json(grid: Grid) -> dict[str, object]:
    return {
        "title": "one call of a small operator",
        "unit": "ns",
        "figures": grid.figures,
        "targets": [
            {"contender": column, "operator": operator, "peer": peer, "limit": limit,
             "ratio": grid.ratio(operator, column), "met": grid.is_met(operator, column)}
            for column, (peer, limit) in TARGETS.items()
            for operator in OPERATORS
        ],
    }


def chain_commands() -> tuple[dict[str, Command], dict[str, Command]]:
    """The commands that measure the time of the chain, and its memory."""
    program = PROGRAMS / "chain.lisp"
    meter = compile_cpp(PEERS / "meter.cpp", shared=True)
    ours: dict[str, Command] = {
        TYPED: [compile_lisp(program), CHAIN_TIMES],
        "interpreter": [LAMBENT, program, CHAIN_TIMES],
    }
    theirs: Command = [PYTHON, PEERS / "chain_torch.py", CHAIN_TIMES]
    return {**ours, PYTHON_TORCH: theirs}, {**ours, PYTHON_TORCH: [*theirs, meter]}


def labelled(label: str, text: str) -> float:
    """The number on the line that begins with the label."""
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(label))
