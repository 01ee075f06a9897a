"""The verifiers find what is changed in the owned IR of real programs; `tests/stress/mutations.py`
does so ten thousand times."""

from tests.stress.mutations import KINDS, run
from tests.support.paths import ROOT

PROGRAMS = ("bindings", "closures", "grad_mode", "loops", "tail_calls", "vectors")


def test_the_verifiers_find_every_mutant() -> None:
    files = [ROOT / "tests/programs" / f"{name}.lisp" for name in PROGRAMS]
    report = run(files, 300, seed=1, each=60)
    assert report.count == 300
    assert report.escaped == []
    assert set(KINDS) <= {*report.found}
