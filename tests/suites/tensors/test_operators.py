"""LibTorch's operators called from Lisp, compared with Python's torch by tests/operators/.

`--all-random` runs all cases on both back ends; otherwise a sample of them.
"""

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from zlib import crc32

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.operators.choices import compare_choices, schema_calls, table_calls
from tests.operators.compare import differences
from tests.operators.families import FAMILIES, Family, Row
from tests.operators.oracle import Case, quietly
from tests.operators.programs import Run, run_executable, run_script, write_applied, write_written
from tests.operators.sweep import gather, is_sampled

NO_LEAKS = "live handles: 0, live objects: 0\n"
IN_ONE_PROGRAM = 1500  # written calls: compiling them takes a while
SHOWN = 40  # differences

Cases = list[tuple[Family, Case]]


@pytest.fixture(scope="module")
def cases(all_random: bool) -> Cases:
    with quietly():
        return gather(FAMILIES, (lambda row: True) if all_random else is_sampled).cases


def check(cases: Cases, program: Path, run: Callable[[Path], Run]) -> None:
    done = run(program)
    assert (done.status, done.said) == (0, NO_LEAKS)
    wrong = [
        f"{case.name}: {line}"
        for family, case in cases
        for line in differences(case.expected, done.outcomes.get(case.name), family.close)
    ]
    assert not wrong, "\n".join([f"{len(wrong)} differences", *wrong[:SHOWN]])


def written_sample(cases: Cases) -> Cases:
    """One case for about half the operators."""
    first = {case.call.operator: (family, case) for family, case in reversed(cases)}
    return [pair for name, pair in sorted(first.items()) if crc32(name.encode()) % 2 == 0]


def test_table_as_a_script(cases: Cases, tmp_path: Path) -> None:
    check(cases, write_applied([case for _, case in cases], tmp_path), run_script)


def test_table_as_an_executable(cases: Cases, tmp_path: Path) -> None:
    sample = written_sample(cases)
    check(sample, write_written([case for _, case in sample], tmp_path), run_executable)


@pytest.mark.slow
def test_all_as_executables(cases: Cases, tmp_path: Path, all_random: bool) -> None:
    if not all_random:
        pytest.skip("for --all-random")
    check(cases, write_applied([c for _, c in cases], tmp_path / "applied"), run_executable)
    for start in range(0, len(cases), IN_ONE_PROGRAM):
        part = cases[start : start + IN_ONE_PROGRAM]
        folder = tmp_path / f"written-{start}"
        check(part, write_written([case for _, case in part], folder), run_executable)


def test_same_overloads_as_pytorch(all_random: bool) -> None:
    wanted: Callable[[Row], bool] = (lambda row: True) if all_random else is_sampled
    found = compare_choices(chain(table_calls(wanted), schema_calls()))
    assert found.alike > (6000 if all_random else 3000)
    assert not found.unlike, "\n".join(map(str, found.unlike[:SHOWN]))


def test_no_case_occurs_twice(cases: Cases) -> None:
    names = [case.name for _, case in cases]
    assert len(names) == len(set(names))


def test_enough_operators(cases: Cases) -> None:
    assert len({case.call.operator for _, case in cases}) >= 1000
