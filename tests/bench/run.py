"""The benchmark: each section builds its contenders, runs them in turn and fills a table.

    tensor-add of 4 elements, per call
      C++ LibTorch        472 ns
      executable          480 ns    1.02x of C++ LibTorch, at most 1.15x                 ok
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

from tests.bench.build import (
    EXAMPLES,
    LAMBENT,
    OUT,
    PEERS,
    PROGRAMS,
    PYTHON,
    compile_c,
    compile_cpp,
    compile_lisp,
    with_epilogue,
)
from tests.bench.measure import (
    Command,
    epoch_seconds,
    last_number,
    printed_medians,
    wall_medians,
)

DIGITS = EXAMPLES / "digits.lisp"
DIGITS_CSV = EXAMPLES / "data" / "digits.csv"
ADD_CALLS = "400000"
EXTRA_EPOCHS = "40"  # what programs/epochs.lisp runs, too


@dataclass(frozen=True, slots=True)
class Target:
    """A contender's figure is to be at most `limit` times the peer's."""

    contender: str
    peer: str
    limit: float


@dataclass(frozen=True, slots=True)
class Verdict:
    target: Target
    ratio: float

    @property
    def met(self) -> bool:
        return self.ratio <= self.target.limit


@dataclass(frozen=True, slots=True)
class Table:
    """One section's figures, all in one unit, and what the targets say of them."""

    title: str
    unit: str
    figures: dict[str, float]
    verdicts: tuple[Verdict, ...]
    note: str


def _table(
    title: str, unit: str, figures: dict[str, float], targets: list[Target], note: str = ""
) -> Table:
    verdicts = tuple(Verdict(t, figures[t.contender] / figures[t.peer]) for t in targets)
    return Table(title, unit, figures, verdicts, note)


def measure_add(rounds: int) -> Table:
    """One call of the smallest operation: what stands between a program and LibTorch."""
    source = PROGRAMS / "add.lisp"
    commands: dict[str, Command] = {
        "C++ LibTorch": [compile_cpp(PEERS / "add.cpp"), ADD_CALLS],
        "executable": [compile_lisp(source), ADD_CALLS],
        "interpreter": [LAMBENT, source, ADD_CALLS],
        "Python torch": [PYTHON, PEERS / "add_torch.py", ADD_CALLS],
    }
    return _table(
        "tensor-add of 4 elements, per call",
        "ns",
        printed_medians(commands, last_number, rounds),
        [
            Target("executable", "C++ LibTorch", 1.15),
            Target("executable", "Python torch", 1 / 1.5),
            Target("interpreter", "Python torch", 1.2),
        ],
        "grad mode is on in all four",
    )


def measure_epoch(rounds: int) -> Table:
    """The digits program's epoch, after its own thirty."""
    source = with_epilogue(DIGITS, PROGRAMS / "epochs.lisp")
    commands: dict[str, Command] = {
        "executable": [compile_lisp(source), DIGITS_CSV],
        "interpreter": [LAMBENT, source, DIGITS_CSV],
        "Python torch": [PYTHON, PEERS / "digits_torch.py", "--time", EXTRA_EPOCHS],
    }
    seconds = printed_medians(commands, epoch_seconds, rounds)
    return _table(
        "one epoch of examples/digits.lisp",
        "ms",
        {name: 1000 * value for name, value in seconds.items()},
        [Target("executable", "Python torch", 1.0)],
        "1,437 images in batches of 64, one thread",
    )


def measure_memory(_rounds: int) -> Table:
    """The most bytes of tensors alive at once in the digits program; the same at every run."""
    source = with_epilogue(DIGITS, PROGRAMS / "peak.lisp")
    meter = compile_cpp(PEERS / "meter.cpp", shared=True)
    commands: dict[str, Command] = {
        "executable": [compile_lisp(source), DIGITS_CSV],
        "interpreter": [LAMBENT, source, DIGITS_CSV],
        "Python torch": [PYTHON, PEERS / "peak_torch.py", meter],
    }
    return _table(
        "peak tensor bytes of examples/digits.lisp",
        "bytes",
        printed_medians(commands, last_number, 1),
        [Target("executable", "Python torch", 1.0), Target("executable", "interpreter", 1.0)],
        "bytes asked of the CPU allocator: (tensor-memory) here, peers/meter.cpp in Python",
    )


def measure_start(rounds: int) -> list[Table]:
    """From the start of the process to its end."""
    hello, one_tensor = EXAMPLES / "hello.lisp", PROGRAMS / "one_tensor.lisp"
    milliseconds: dict[str, Command] = {
        "C hello": [compile_c(PEERS / "hello.c")],
        "hello, executable": [compile_lisp(hello)],
    }
    scripts: dict[str, Command] = {
        "python -c pass": [PYTHON, "-c", "pass"],
        "hello, interpreter": [LAMBENT, hello],
    }
    with_tensors: dict[str, Command] = {
        "C++ LibTorch": [compile_cpp(PEERS / "one_tensor.cpp")],
        "executable": [compile_lisp(one_tensor)],
        "interpreter": [LAMBENT, one_tensor],
        "Python torch": [PYTHON, "-c", "import torch; torch.zeros(2,2)"],
    }
    return [
        _start_table(
            "start-up without tensors",
            wall_medians(milliseconds, 30 * rounds) | wall_medians(scripts, 3 * rounds),
            [
                Target("hello, executable", "C hello", 3.0),
                Target("hello, interpreter", "python -c pass", 10.0),
            ],
        ),
        _start_table(
            "start-up with one tensor",
            wall_medians(with_tensors, rounds),
            [
                Target("executable", "C++ LibTorch", 1.3),
                Target("interpreter", "Python torch", 0.3),
            ],
        ),
    ]


def _start_table(title: str, seconds: dict[str, float], targets: list[Target]) -> Table:
    return _table(title, "ms", {name: 1000 * value for name, value in seconds.items()}, targets)


SECTIONS: dict[str, Callable[[int], list[Table]]] = {
    "add": lambda rounds: [measure_add(rounds)],
    "epoch": lambda rounds: [measure_epoch(rounds)],
    "memory": lambda rounds: [measure_memory(rounds)],
    "start": measure_start,
}


def run(sections: list[str], rounds: int) -> list[Table]:
    """Measure the sections, printing each table as it is ready."""
    OUT.mkdir(parents=True, exist_ok=True)
    tables: list[Table] = []
    for name in sections:
        for table in SECTIONS[name](rounds):
            print("\n" + to_text(table), flush=True)
            tables.append(table)
    return tables


def to_text(table: Table) -> str:
    """The table as people read it; a contender's first verdict stands beside its figure."""
    lines = [f"{table.title}{f' ({table.note})' if table.note else ''}"]
    for name, figure in table.figures.items():
        shown = f"{figure:,.0f}" if table.unit == "bytes" else f"{figure:.4g}"
        verdicts = [_verdict_text(v) for v in table.verdicts if v.target.contender == name]
        head = f"  {name:20}{shown:>10} {table.unit}"
        lines += [f"{head:40}{text}".rstrip() for text in verdicts[:1] or [""]]
        lines += [f"{'':40}{text}" for text in verdicts[1:]]
    return "\n".join(lines)


def _verdict_text(verdict: Verdict) -> str:
    target = verdict.target
    claim = f"{verdict.ratio:.2f}x of {target.peer}, at most {target.limit:.3g}x"
    return f"{claim:50}{'ok' if verdict.met else 'MISSED'}"


def to_json(tables: list[Table]) -> dict[str, object]:
    """The same figures for programs to read."""
    return {
        "cpus": os.cpu_count(),
        "tables": [
            {
                "title": table.title,
                "unit": table.unit,
                "figures": table.figures,
                "targets": [
                    {
                        "contender": v.target.contender,
                        "peer": v.target.peer,
                        "limit": v.target.limit,
                        "ratio": v.ratio,
                        "met": v.met,
                    }
                    for v in table.verdicts
                ],
            }
            for table in tables
        ],
    }
