"""The programs of tests/programs and tests/errors on the evaluator, the third back end.

Each prints what its file expects, exits with that status, and frees everything.  A third of them is
run each day, or all with `--all-random`.
"""

from pathlib import Path

import pytest

from lambent.lang.evaluator.opcodes import header
from tests.support.evaluator_programs import (
    differences,
    evaluator_programs,
    place_of,
    run_code,
)
from tests.support.paths import ROOT
from tests.support.programs_run import is_due_today

_DAYS = 3
# Programs that are run on every day.
_ALWAYS = ("closures", "apply", "deep_recursion", "letrec", "guard", "records", "tensor_lazy")


def _is_due(path: Path) -> bool:
    return path.stem in _ALWAYS or is_due_today(str(path.relative_to(ROOT)), _DAYS)


@pytest.mark.parametrize(
    "path", evaluator_programs(), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_program(
    path: Path, all_random: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (all_random or _is_due(path)):
        pytest.skip("another day's")
    monkeypatch.chdir(place_of(path)[0])
    monkeypatch.setenv("LAMBENT_VERIFY", "1")
    outcome = run_code(path, tmp_path)
    assert not isinstance(outcome, str), f"refused: {outcome}"
    if outcome is not None:
        assert differences(path, outcome) == []


def test_header_has_opcodes() -> None:
    path = ROOT / "lang/evaluator/machine/opcodes.h"
    assert path.read_text() == header()
