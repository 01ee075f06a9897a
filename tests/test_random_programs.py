"""Random programs: both back ends agree, and no failure anywhere leaves anything behind.

Each program of `random_sources.py` runs in the interpreter and, compiled under the address and
undefined-behaviour sanitizers, as an executable: output, error text and status must be equal, and
nothing may be alive at the end.  Then the executable runs once for each fallible operation that it
performs, and that operation fails: the balance must be zero every time.  The default is a few
programs, `--all-random` 300; one in four has tensors.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lambent.lang.compile.emit_c import emit_c
from lambent.lang.compile.toolchain import Options, compile_objects, link_flags, run_compiler
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source
from tests.random_sources import random_source

DRIVER = Path(__file__).parent / "injection_driver.c"
OPTIONS = Options(optimize=False, sanitize=True, inject=True, strict=True)
FEW, ALL = 16, 300
BATCH = 75  # programs in one binary
# LibTorch keeps what it allocates once for the whole process, which is none of ours.
ENVIRONMENT = {
    **os.environ,
    "LAMBENT_CHECK_LEAKS": "1",
    "LAMBENT_ALLOC": "malloc",
    "OMP_NUM_THREADS": "1",
    "ASAN_OPTIONS": "detect_leaks=0",
}


@pytest.fixture(scope="module")
def seeds(all_random: bool) -> range:
    return range(ALL if all_random else FEW)


def name_of(seed: int) -> str:
    return f"random_{seed}"


def source_of(seed: int) -> str:
    return random_source(seed, tensors=has_tensors(seed))


def has_tensors(seed: int) -> bool:
    return seed % 4 == 0


def build(seeds: Sequence[int], folder: Path) -> Path:
    """One sanitized binary that holds the programs of the seeds."""
    rows, tensors = [], False
    for seed in seeds:
        anf = compile_source(Source(f"{name_of(seed)}.lisp", source_of(seed)))
        tensors = tensors or anf.uses_tensors
        (folder / f"{name_of(seed)}.c").write_text(emit_c(anf, program=name_of(seed)))
        rows.append(f'    {{"{name_of(seed)}", &{name_of(seed)}}},')
    (folder / "driver.c").write_text(
        "\n".join(
            (
                f'#include "{DRIVER}"',
                *(f"extern const rt_program {name_of(seed)};" for seed in seeds),
                "const test_program test_programs[] = {",
                *rows,
                "    {NULL, NULL}};\n",
            )
        )
    )
    objects = compile_objects(sorted(folder.glob("*.c")), folder, OPTIONS)
    binary = folder / "binary"
    libraries = link_flags(OPTIONS, tensors=tensors)
    run_compiler([*OPTIONS.flags, *objects, "-o", binary, *libraries])
    return binary


@pytest.fixture(scope="module")
def binaries(seeds: range, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The binary of each seed.  To fork is cheap where LibTorch is not loaded, so programs with
    tensors have binaries of their own."""
    found = {}
    for tensors in (False, True):
        chosen = [seed for seed in seeds if has_tensors(seed) is tensors]
        for start in range(0, len(chosen), BATCH):
            batch = chosen[start : start + BATCH]
            binary = build(batch, tmp_path_factory.mktemp("random"))
            found.update(dict.fromkeys(batch, binary))
    return found


def in_parallel(job: Callable[[int], str], seeds: range) -> list[str]:
    """What went wrong for each seed, on both cores."""
    with ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(job, seeds) if text]


def finish(command: list[str], folder: Path) -> tuple[str, str, int]:
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=300
    )
    return done.stdout, done.stderr, done.returncode


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
