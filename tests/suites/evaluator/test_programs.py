"""The programs of tests/programs and tests/errors on the evaluator, the third back end.

Each prints what its file expects, exits with that status, and frees everything.  A third of them is
run each day, or all with `--all-random`.  What the evaluator cannot run, it must refuse.
"""

from pathlib import Path

import pytest

from lambent.lang.errors import LispError
from lambent.lang.evaluator.code import UnsupportedError
from lambent.lang.evaluator.evaluator_program import evaluator_program
from lambent.lang.evaluator.opcodes import header
from lambent.lang.evaluator.run_code import code_of_file
from tests.support.paths import ROOT
from tests.support.programs_run import is_due_today, read_expectations, run

_FOLDERS = ("programs", "programs/r7rs", "errors")
_PATHS = [path for name in _FOLDERS for path in sorted((ROOT / "tests" / name).glob("*.lisp"))]
_DAYS = 3
# Why the evaluator refuses a program: the text of an UnsupportedError.
_REFUSALS = {"tensors"}
# Programs whose code must be made on every day, so that a refusal of everything fails.
_ALWAYS = ("closures", "apply", "deep_recursion", "letrec", "guard", "records")


def _is_due(path: Path) -> bool:
    return path.stem in _ALWAYS or is_due_today(str(path.relative_to(ROOT)), _DAYS)


def _place(path: Path) -> tuple[Path, str]:
    """The folder in which a program is run, and its name there."""
    if path.parent.name == "errors":
        return path.parent, path.name
    return ROOT, str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", _PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_program(
    path: Path, all_random: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (all_random or _is_due(path)):
        pytest.skip("another day's")
    folder, name = _place(path)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LAMBENT_VERIFY", "1")
    try:
        code, _ = code_of_file(name)
    except UnsupportedError as reason:
        assert str(reason) in _REFUSALS
        assert path.stem not in _ALWAYS
        return
    except LispError:
        return  # before it runs: the front end's, which all back ends share
    file = tmp_path / "program.code"
    file.write_bytes(code)
    outcome = run([str(evaluator_program()), str(file), name], folder)
    expected = read_expectations(path)
    if expected.output is not None:
        assert outcome.output == expected.output, outcome.errors
    assert outcome.errors == expected.errors
    assert outcome.status == expected.status
    assert outcome.leaks == ""


def test_header_has_opcodes() -> None:
    path = ROOT / "lang/evaluator/machine/opcodes.h"
    assert path.read_text() == header()
