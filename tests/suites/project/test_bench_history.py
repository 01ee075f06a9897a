"""The benchmark's history: the data of a run, and which figures count as slower."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.compile_time import CompileTimes
from tests.bench.history import (
    HISTORY,
    append,
    comparison,
    figures_of,
    last_runs,
    noise,
    this_run,
)
from tests.bench.language import Suite
from tests.bench.measure import cpu_medians
from tests.bench.run import Table, Target, Verdict
from tests.support.paths import ROOT

SUITE = Suite({"fib": {"C": 0.02, "executable": 0.05, "interpreter": 2.0, "Python": 1.5,
                       "C, smaller size": 0.02}})
TABLE = Table("an epoch", "ms", {"executable": 20.0}, (
    Verdict(Target("executable", "Python torch", 1.0), 0.875),), "")  # fmt: skip


def test_figures_are_ratios() -> None:
    times = CompileTimes({"ten lines": 0.5}, {"ten lines": 2.0})
    assert figures_of([TABLE], SUITE, times) == {
        "fib/executable": 2.5, "fib/interpreter": 100.0, "compile ten lines of gcc": 0.5,
        "an epoch: executable of Python torch": 0.875,
    }  # fmt: skip


def test_slower_figures_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    run = this_run({"same": 1.0, "worse": 1.3, "better": 0.5, "noisy": 1.5, "fresh": 2.0}, 3)
    for noisy in (0.8, 1.0, 1.3):
        append(replace(run, figures={"same": 1.02, "worse": 1.0, "better": 1.0, "noisy": noisy}),
               path)
    append(replace(run, machine="another", figures={"same": 100.0}), path)
    before = last_runs(run, path)
    assert [old.machine for old in before] == [run.machine] * 3
    rows = {line.split()[0]: line for line in comparison(run, before).splitlines()[1:-1]}
    assert rows["worse"].endswith("+30%  ^ slower")
    assert rows["better"].endswith("-50%  v faster")
    assert rows["same"].endswith("-2%")
    assert rows["noisy"].endswith("+50%")
    assert rows["fresh"].endswith("new")
    assert comparison(run, before).endswith("1 of 5 figures are slower")


def test_noise_is_the_usual_deviation_of_runs() -> None:
    assert noise([1.0]) == 0.1
    assert noise([1.0, 1.0, 1.0, 9.0]) == 0.1
    assert noise([0.8, 1.0, 1.2]) == 3 * 0.19999999999999996


def test_a_run_names_its_machine_and_versions() -> None:
    run = this_run({}, 7)
    assert run.machine.endswith(" cores")
    assert run.versions.keys() >= {"python", "gcc", "lambent"}
    assert run.commit


def test_the_history_is_tracked() -> None:
    """Each line is a run; `make bench` adds to them."""
    assert HISTORY.is_relative_to(ROOT)
    if HISTORY.exists():
        for line in HISTORY.read_text(encoding="utf-8").splitlines():
            assert line.startswith('{"commit"')


def test_a_command_that_fails_ends_the_benchmark() -> None:
    with pytest.raises(SystemExit, match="failed"):
        cpu_medians({"failure": [sys.executable, "-c", "raise SystemExit(1)"]}, 1)
