"""The examples run as scripts and as executables, print the same, and leave nothing behind."""

import re
from pathlib import Path

import pytest

from tests.programs_run import Workshop

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.lisp"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_both_back_ends_agree(workshop: Workshop, path: Path) -> None:
    script, executable = workshop.run_script(path), workshop.run_executable(path)
    assert (script.errors, script.status, script.leaks) == ("", 0, "")
    assert script == executable
    assert script.output


def test_digits_learns(workshop: Workshop) -> None:
    output = workshop.run_executable(ROOT / "examples/digits.lisp").output
    (accuracy,) = re.findall(r"accuracy\D*([\d.]+)", output)
    assert float(accuracy) >= 0.95
