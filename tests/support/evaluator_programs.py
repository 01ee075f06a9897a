"""Programs of `tests/programs` and `tests/errors` on the evaluator, the third back end.

`python -m tests.support.evaluator_programs [WORD ...]` runs them all, or those with such names, and
says what share of them does what is expected.
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lambent.lang.errors import LispError
from lambent.lang.evaluator.code import UnsupportedError
from lambent.lang.evaluator.evaluator_program import evaluator_program
from lambent.lang.evaluator.run_code import code_of_program
from lambent.lang.interp.run import read_text
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
        code = code_of_program(read_text(name), name)
    except UnsupportedError as reason:
        return str(reason)
    except LispError:
        return None
    file = scratch / "program.code"
    file.write_bytes(code.data)
    return run([str(evaluator(code.tensors)), sys.executable, str(file), name], folder)


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


def main(words: Sequence[str]) -> int:
    """Prints a line for each program that is refused or differs, then the counts."""
    paths = [p for p in evaluator_programs() if not words or any(w in p.stem for w in words)]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            kind, said = _judge(path, Path(folder))
            counts[kind] += 1
            if said:
                print(f"{kind}: {path.parent.name}/{path.stem}: {said}", flush=True)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
    return 1 if counts["differs"] else 0


def _judge(path: Path, scratch: Path) -> tuple[str, str]:
    """How a program does, and what there is to say of it."""
    os.chdir(place_of(path)[0])
    try:
        outcome = run_code(path, scratch)
    except Exception as error:  # a crash of the emitter is a result, too
        return "crashes", f"{type(error).__name__}: {error}"
    if outcome is None:
        return "front end", ""
    if isinstance(outcome, str):
        return "refused", outcome
    different = differences(path, outcome)
    return ("differs", "; ".join(different)) if different else ("as expected", "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
