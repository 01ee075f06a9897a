"""The library's hot procedures in scripts, beside Python's lists, dictionaries and functions.

    map                   50312 ns        1.19x of map, Python, at most 3x                  ok
    map, Python           42321 ns

One process of each runs all rows, with several runs of each row; the processes alternate.  Both
print the medians.
"""

from collections.abc import Iterator
from statistics import median

from tests.bench.build import LAMBENT, PEERS, PROGRAMS, PYTHON
from tests.bench.measure import Command, output

LIMIT = 3.0
LIMITS = {"fib 15": 1.0}  # of rows with another limit
SCRIPT, PEER = "script", "Python"


def measure_library(rounds: int) -> dict[str, dict[str, float]]:
    """Nanoseconds of each row by contender."""
    commands: dict[str, Command] = {
        SCRIPT: [LAMBENT, PROGRAMS / "library.lisp"],
        PEER: [PYTHON, PEERS / "library.py"],
    }
    output(commands[SCRIPT])  # fills the cache
    samples: dict[str, dict[str, list[float]]] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            for row, figure in _printed(output(command)):
                samples.setdefault(row, {}).setdefault(name, []).append(figure)
    return {
        row: {name: median(figures) for name, figures in found.items()}
        for row, found in samples.items()
    }


def limit_of(row: str) -> float:
    return LIMITS.get(row, LIMIT)


def _printed(text: str) -> Iterator[tuple[str, float]]:
    for line in text.splitlines():
        row, _, figure = line.rpartition(" ")
        yield row, max(float(figure), 1.0)
