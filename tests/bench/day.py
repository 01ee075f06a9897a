"""A day's work: regular expressions, strings, match, tables, sorting and files.

    regexp split, executable      556398 ns   0.35x of Python, at most 1x                       ok
    regexp split, script         1240897 ns   0.78x of Python, at most 3x                       ok

One process of each contender runs all rows, with several runs of each row; the processes alternate.
Each prints the medians, and what the rows compute, which must be the same.  Guile takes part where
it is installed.  Executables are compared with the faster peer, scripts with Python.
"""

import shutil
import tempfile
from collections.abc import Iterator
from statistics import median

from tests.bench.build import LAMBENT, PEERS, PROGRAMS, PYTHON, compile_lisp
from tests.bench.measure import Command, output

EXECUTABLE, SCRIPT, PYTHON_PEER, GUILE = "executable", "script", "Python", "Guile"
EXECUTABLE_LIMIT, SCRIPT_LIMIT = 1.0, 3.0

Row = dict[str, float]  # nanoseconds by contender


def measure_day(rounds: int) -> dict[str, Row]:
    """Nanoseconds of each row by contender."""
    with tempfile.TemporaryDirectory() as folder:
        commands = _commands(folder)
        for command in commands.values():
            output(command)  # fills the caches, and makes the files
        samples: dict[str, dict[str, list[float]]] = {}
        for _ in range(rounds):
            results: dict[str, dict[str, str]] = {}
            for name, command in commands.items():
                for row, figure, result in _printed(output(command)):
                    samples.setdefault(row, {}).setdefault(name, []).append(figure)
                    results.setdefault(row, {})[name] = result
            _check_agreement(results)
    return {
        row: {name: median(figures) for name, figures in found.items()}
        for row, found in samples.items()
    }


def _commands(folder: str) -> dict[str, Command]:
    program = PROGRAMS / "day.lisp"
    commands: dict[str, Command] = {
        EXECUTABLE: [compile_lisp(program), folder],
        SCRIPT: [LAMBENT, program, folder],
        PYTHON_PEER: [PYTHON, PEERS / "day.py", folder],
    }
    if (guile := shutil.which("guile")) is not None:
        commands[GUILE] = [guile, PEERS / "day.scm", folder]
    return commands


def _printed(text: str) -> Iterator[tuple[str, float, str]]:
    for line in text.splitlines():
        row, figure, result = line.split("\t")
        yield row, max(float(figure), 1.0), result


def _check_agreement(results: dict[str, dict[str, str]]) -> None:
    for row, by_contender in results.items():
        if len(set(by_contender.values())) > 1:
            raise SystemExit(f"{row}: the contenders disagree: {by_contender}")


def faster_peer(row: Row) -> str:
    return min((PYTHON_PEER, GUILE), key=lambda name: row.get(name, float("inf")))
