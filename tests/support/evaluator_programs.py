"""Programs of `tests/programs` and `tests/errors` on the evaluator, the third back end."""

from functools import cache
from pathlib import Path

from lambent.lang.errors import LispError
from lambent.lang.evaluator.code import UnsupportedError
from lambent.lang.evaluator.evaluator_program import evaluator_program
from lambent.lang.evaluator.run_code import code_of_file
from tests.support.paths import ROOT
from tests.support.programs_run import Outcome, read_expectations, run

evaluator = cache(evaluator_program)  # by whether it is for programs with tensors
_FOLDERS = ("programs", "programs/r7rs", "errors")


def evaluator_programs() -> list[Path]:
    return [path for name in _FOLDERS for path in sorted((ROOT / "tests" / name).glob("*.lisp"))]


def place_of(path: Path) -> tuple[Path, str]:
    """The folder in which a program is run, and its name there."""
    if path.parent.name == "errors":
        return path.parent, path.name
    return ROOT, str(path.relative_to(ROOT))


def run_code(path: Path, scratch: Path) -> Outcome | str | None:
    """What a program does on the evaluator, whose folder is the current one; the reason why it is
    refused; None if the front end reports an error, which all back ends share."""
    folder, name = place_of(path)
    try:
        code = code_of_file(name)
    except UnsupportedError as reason:
        return str(reason)
    except LispError:
        return None
    file = scratch / "program.code"
    file.write_bytes(code.data)
    return run([str(evaluator(code.tensors)), str(file), name], folder)


def differences(path: Path, outcome: Outcome) -> list[str]:
    """What is not as a program's file expects."""
    expected = read_expectations(path)
    rows = [
        ("stdout", expected.output, outcome.output),
        ("stderr", expected.errors, outcome.errors),
        ("status", expected.status, outcome.status),
        ("leaks", "", outcome.leaks),
    ]
    return [
        f"{what}: expected {wanted!r}, got {found!r}"
        for what, wanted, found in rows
        if wanted is not None and wanted != found
    ]
