"""Random programs: both back ends agree, and no failure anywhere leaves anything behind.

Each program of `random_sources.py` runs in the interpreter and, compiled under the address and
undefined-behaviour sanitizers, as an executable: output, error text and status must be equal, and
nothing may be alive at the end.  Then the executable runs once for each fallible operation that it
performs, and that operation fails: the balance must be zero every time.  The default is a few
programs, `--all-random` 300; one in four has tensors.
"""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.random_sources import random_source
from tests.sanitized import build, finish

FEW, ALL = 16, 300
BATCH = 75  # programs in one binary


@pytest.fixture(scope="module")
def seeds(all_random: bool) -> range:
    return range(ALL if all_random else FEW)


def name_of(seed: int) -> str:
    return f"random_{seed}"


def source_of(seed: int) -> str:
    return random_source(seed, tensors=has_tensors(seed))


def has_tensors(seed: int) -> bool:
    return seed % 4 == 0


@pytest.fixture(scope="module")
def binaries(seeds: range, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The binary of each seed.  To fork is cheap where LibTorch is not loaded, so programs with
    tensors have binaries of their own."""
    found = {}
    for tensors in (False, True):
        chosen = [seed for seed in seeds if has_tensors(seed) is tensors]
        for start in range(0, len(chosen), BATCH):
            batch = chosen[start : start + BATCH]
            programs = {name_of(seed): source_of(seed) for seed in batch}
            binary = build(programs, tmp_path_factory.mktemp("random"))
            found.update(dict.fromkeys(batch, binary))
    return found


def in_parallel(job: Callable[[int], str], seeds: range) -> list[str]:
    """What went wrong for each seed, on both cores."""
    with ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(job, seeds) if text]


def test_both_back_ends_agree(seeds: range, binaries: dict[int, Path], tmp_path: Path) -> None:
    def compare(seed: int) -> str:
        file = f"{name_of(seed)}.lisp"
        (tmp_path / file).write_text(source_of(seed))
        script = finish([sys.executable, "-m", "lambent.lang", file], tmp_path)
        program = finish([str(binaries[seed]), name_of(seed)], tmp_path)
        return "" if script == program else f"seed {seed}\n  script {script}\n  program {program}"

    assert not in_parallel(compare, seeds)


@pytest.mark.slow
def test_every_failure_leaves_nothing(
    seeds: range, binaries: dict[int, Path], tmp_path: Path
) -> None:
    def inject(seed: int) -> str:
        output, _, status = finish([str(binaries[seed]), name_of(seed), "inject"], tmp_path)
        return "" if status == 0 else f"seed {seed}: {output}"

    assert not in_parallel(inject, seeds)
