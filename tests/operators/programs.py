"""Cases as Lisp programs, run as a script and as an executable.

There are two programs for cases.  `applied` reads its calls as data and applies the operators to
them, so that any number of cases costs one compilation.  `written` holds the calls as a person
would write them, which also tests how the compiler handles calls.
"""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.operators.lisp_call import as_datum, lisp_operator, source_of, step_datum
from tests.operators.oracle import Case
from tests.operators.outcome import Outcome, read_outcomes
from tests.operators.transport import Files, View, layout_of
from tests.support.programs_run import finish

DRIVER = Path(__file__).parent / "driver.lisp"
TIMEOUT = 900  # seconds: a full sweep on a busy machine


@dataclass(frozen=True, slots=True)
class Run:
    """said: the text on stderr, leaks included."""

    outcomes: dict[str, Outcome]
    output: str
    said: str
    status: int


def write_applied(cases: Sequence[Case], folder: Path) -> Path:
    """The program that applies operators to data."""
    names = sorted({name for case in cases for name, _ in case.call.steps})
    rows = "\n".join(f"        (cons '{name} {lisp_operator(name)})" for name in names)
    return _write(cases, folder, f'(run-applied\n  (list\n{rows})\n  "cases")\n')


def write_written(cases: Sequence[Case], folder: Path) -> Path:
    """The program that holds the calls."""
    calls = "".join(f"(run-written {source_of(case.call)})\n" for case in cases)
    return _write(cases, folder, f'(begin-cases "cases")\n{calls}')


def _write(cases: Sequence[Case], folder: Path, body: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "driver.lisp").write_bytes(DRIVER.read_bytes())
    files = Files()
    lines = [_datum(case, files) for case in cases]
    (folder / "cases").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files.write(folder)
    program = folder / "program.lisp"
    program.write_text(f'(import "driver.lisp")\n{body}', encoding="utf-8")
    return program


def _datum(case: Case, files: Files) -> str:
    """The line of a case; driver.lisp describes it."""
    call = case.call
    storages = [files.storage_datum(s) for s in case.layout.storages]
    weights = []
    for weight in case.weights:
        if weight is None:
            weights.append("#f")
            continue
        [view] = layout_of((weight,)).views
        weights.append(View(len(storages), view.shape, view.strides, 0, ()).datum())
        storages.append(files.storage_datum(weight.flatten()))
    route = case.route if weights else "none"
    inputs = " ".join(v.datum() for v in case.layout.views)
    steps = " ".join(map(step_datum, call.steps))
    return (f"({case.name} ({' '.join(storages)}) ({inputs}) (({steps}) {as_datum(call.result)}) "
            f"({' '.join(weights)}) {route})")


def run_script(program: Path) -> Run:
    return _run([sys.executable, "-m", "lambent.lang", program.name], program.parent)


def run_executable(program: Path) -> Run:
    """Compile and run it; if the compiler refuses it, the outcome is the message."""
    compiled = subprocess.run(
        [sys.executable, "-m", "lambent.lang", "compile", program.name, "-o", "program"],
        cwd=program.parent, capture_output=True, text=True, timeout=TIMEOUT,
    )
    if compiled.returncode:
        return Run({}, "", compiled.stderr, compiled.returncode)
    return _run(["./program"], program.parent)


def _run(command: list[str], folder: Path) -> Run:
    done = finish(command, folder, TIMEOUT)
    output = done.stdout.decode()
    return Run(read_outcomes(output), output, done.stderr.decode(), done.returncode)
