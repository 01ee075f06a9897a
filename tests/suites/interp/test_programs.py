"""The programs of tests/programs and tests/errors on the interpreter, which runs them where the
evaluator is not built, and whatever Python programs ask for.

Each prints what its file expects, exits with that status, and frees everything.  A third of them is
run each day, or all with `--all-random`.
"""

import sys
from pathlib import Path

import pytest

from tests.support.evaluator_programs import differences, evaluator_programs, place_of
from tests.support.paths import ROOT
from tests.support.programs_run import is_due_today, run

_DAYS = 3
# Programs that are run on every day.
_ALWAYS = ("closures", "apply", "deep_recursion", "letrec", "guard", "records", "tensor_lazy")


def _is_due(path: Path) -> bool:
    return path.stem in _ALWAYS or is_due_today(str(path.relative_to(ROOT)), _DAYS)


@pytest.mark.parametrize(
    "path", evaluator_programs(), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_program(path: Path, all_random: bool) -> None:
    if not (all_random or _is_due(path)):
        pytest.skip("another day's")
    folder, name = place_of(path)
    outcome = run([sys.executable, "-m", "lambent.lang", name], folder, {"LAMBENT_MACHINE": "0"})
    assert differences(path, outcome) == []
