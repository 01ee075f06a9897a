"""Random programs: both back ends agree, and no failure leaks.

Each program of `random_sources.py` runs in the interpreter and, compiled under the address and
undefined-behaviour sanitizers, as an executable: output, error text and status must be equal, and
nothing may be alive at the end.  Then the executable runs once for each fallible operation that it
performs, and that operation fails: every object must be freed each time.  The default is a few
programs; `--all-random` compares 5,000 and makes every operation of 300 fail.  One in four has
tensors.  The C of some is compiled with optimization, too, without warnings.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lambent.lang.compile.build.toolchain import Options, compile_objects
from lambent.lang.compile.c.emit_c import emit_c
from lambent.lang.compile.units.whole_program import whole_program
from lambent.lang.passes import VERIFY
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source
from tests.stress.agreement import (
    batches,
    compare,
    compare_constants,
    name_of,
    source_of,
)
from tests.support.binaries import build_texts, finish

FEW, ALL, MANY = 16, 300, 5000


@pytest.fixture(autouse=True)
def verified_after_each_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VERIFY, "1")


def test_both_back_ends_agree(all_random: bool) -> None:
    assert list(compare(range(MANY if all_random else FEW))) == []


def test_constants_that_meet_late(all_random: bool) -> None:
    count = MANY if all_random else 100
    assert list(compare_constants(range(count))) == []


def test_optimized_c_has_no_warnings(
    all_random: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """gcc warns about uninitialized variables only if it optimizes, which other tests do not."""
    count = ALL if all_random else FEW // 2
    for seeds in batches(range(count)):
        folder = tmp_path_factory.mktemp("warnings")
        for seed in seeds:
            anf = compile_source(Source(f"{name_of(seed)}.lisp", source_of(seed)))
            text = emit_c(whole_program(anf), program=f"program_{seed}")
            (folder / f"{seed}.c").write_text(text, encoding="utf-8")
        compile_objects(sorted(folder.glob("*.c")), folder, Options(strict=True))


def in_parallel(job: Callable[[int], str], seeds: range) -> list[str]:
    """The failures of all seeds, on two cores."""
    with ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(job, seeds) if text]


@pytest.mark.slow
def test_no_failure_leaks(
    all_random: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    seeds = list(range(ALL)) if all_random else _quick_seeds()
    binaries = {}
    for batch in batches(seeds):
        programs = {name_of(seed): source_of(seed, injected=True) for seed in batch}
        binary = build_texts(programs, tmp_path_factory.mktemp("random"))
        binaries.update(dict.fromkeys(batch, binary))

    def inject(seed: int) -> str:
        command = [str(binaries[seed]), name_of(seed), "inject"]
        output, _, status = finish(command, Path.cwd())
        return "" if status == 0 else f"seed {seed}: {output}"

    assert not in_parallel(inject, seeds)


def _quick_seeds() -> list[int]:
    """The first seeds; only one has a program with tensors: each of its runs loads LibTorch."""
    seeds = range(FEW // 2)
    with_tensors = [seed for seed in seeds if "[" in source_of(seed, injected=True)]
    return [seed for seed in seeds if seed not in with_tensors[1:]]
