"""The benchmark: each section builds its contenders, runs them alternately and fills a table.

    one epoch of examples/digits.lisp
      executable         21.3 ms    0.87x of Python torch, at most 1x                    ok
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from tests.bench.day import (
    EXECUTABLE,
    EXECUTABLE_LIMIT,
    PYTHON_PEER,
    SCRIPT_LIMIT,
    faster_peer,
    measure_day,
)
from tests.bench.day import SCRIPT as DAY_SCRIPT
from tests.bench.generation import measure_generation
from tests.bench.library import PEER, SCRIPT, limit_of, measure_library
from tests.bench.measure import (
    Command,
    epoch_seconds,
    last_number,
    printed_medians,
    wall_medians,
)
from tests.bench.models import measure_models
from tests.bench.tensors import TARGETS as GRID_TARGETS
from tests.bench.tensors import (
    Grid,
    chain_commands,
    grid_json,
    grid_text,
    labelled,
    measure_calls,
)
from tests.bench.training import measure_training

DIGITS = EXAMPLES / "digits.lisp"
DIGITS_CSV = EXAMPLES / "data" / "digits.csv"
EXTRA_EPOCHS = "40"  # what programs/epochs.lisp runs, too


@dataclass(frozen=True, slots=True)
class Target:
    """A contender's figure should be at most `limit` times the peer's."""

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
    """One section's figures, all in one unit, and whether they meet the targets."""

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


def measure_chain(rounds: int) -> list[Table]:
    """Temporaries: in a process that has just started, their memory takes most of the time."""
    timed, metered = chain_commands()
    return [
        _table(
            "six elementwise operators on 4 million floats, a fresh process",
            "ms",
            printed_medians(timed, lambda text: labelled("milliseconds", text), rounds),
            [Target(ours, "Python torch", 1 / 3) for ours in ("executable", "interpreter")],
            "the first ten times, all threads",
        ),
        _table(
            "their most bytes at once",
            "bytes",
            printed_medians(metered, lambda text: labelled("bytes", text), 1),
            [Target(ours, "Python torch", 1.0) for ours in ("executable", "interpreter")],
            "bytes asked of the CPU allocator",
        ),
    ]


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


def training_tables(rounds: int) -> Iterator[Table]:
    for found in measure_training(rounds):
        targets = [Target(*limit) for limit in found.limits]
        yield _table(found.title, found.unit, found.figures, targets, found.note)


def generation_tables(rounds: int) -> Iterator[Table]:
    for found in measure_generation(rounds):
        targets = [Target(*limit) for limit in found.limits]
        yield _table(found.title, found.unit, found.figures, targets, found.note)


def model_tables(rounds: int) -> Iterator[Table]:
    for found in measure_models(rounds):
        targets = [Target(*limit) for limit in found.limits]
        yield _table(found.title, found.unit, found.figures, targets, found.note)


def library_table(rounds: int) -> Table:
    figures: dict[str, float] = {}
    targets: list[Target] = []
    for row, nanoseconds in measure_library(rounds).items():
        figures |= {row: nanoseconds[SCRIPT], f"{row}, Python": nanoseconds[PEER]}
        targets.append(Target(row, f"{row}, Python", limit_of(row)))
    return _table("the library in scripts", "ns", figures, targets)


def day_table(rounds: int) -> Table:
    figures: dict[str, float] = {}
    targets: list[Target] = []
    for row, nanoseconds in measure_day(rounds).items():
        figures |= {f"{row}, {name}": figure for name, figure in nanoseconds.items()}
        peer = faster_peer(nanoseconds)
        targets += [
            Target(f"{row}, {EXECUTABLE}", f"{row}, {peer}", EXECUTABLE_LIMIT),
            Target(f"{row}, {DAY_SCRIPT}", f"{row}, {PYTHON_PEER}", SCRIPT_LIMIT),
        ]
    return _table("a day's work", "ns", figures, targets)


SECTIONS: dict[str, Callable[[int], Iterable[Table | Grid]]] = {
    "tensors": lambda rounds: [measure_calls(rounds), *measure_chain(rounds)],
    "epoch": lambda rounds: [measure_epoch(rounds)],
    "memory": lambda rounds: [measure_memory(rounds)],
    "start": measure_start,
    "training": training_tables,
    "generation": generation_tables,
    "models": model_tables,
    "library": lambda rounds: [library_table(rounds)],
    "day": lambda rounds: [day_table(rounds)],
}


def run(sections: list[str], rounds: int) -> list[Table | Grid]:
    """Measure the sections, printing each table as it is ready."""
    OUT.mkdir(parents=True, exist_ok=True)
    tables: list[Table | Grid] = []
    for name in sections:
        for table in SECTIONS[name](rounds):
            print("\n" + to_text(table), flush=True)
            tables.append(table)
    return tables


def to_text(table: Table | Grid) -> str:
    """The table as text; a contender's first verdict is beside its figure."""
    if isinstance(table, Grid):
        return grid_text(table)
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


def verdicts(tables: Sequence[Table | Grid]) -> list[bool]:
    """Which targets are met."""
    met: list[bool] = []
    for table in tables:
        if isinstance(table, Grid):
            met += [table.is_met(o, c) for c in GRID_TARGETS for o in table.figures]
        else:
            met += [verdict.met for verdict in table.verdicts]
    return met


def to_json(tables: Sequence[Table | Grid]) -> dict[str, object]:
    """The same figures for programs to read."""
    return {"cpus": os.cpu_count(), "tables": [_to_json(table) for table in tables]}


def _to_json(table: Table | Grid) -> dict[str, object]:
    if isinstance(table, Grid):
        return grid_json(table)
    return {
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
