"""Executables need no Python, and valgrind finds no error in them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.programs_run import ProgramRunner


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One executable with tensors and one without."""
    from lambent.lang.pipeline import compile_file

    folder = tmp_path_factory.mktemp("executables")
    made = {}
    for name in ("closures", "training"):
        made[name] = folder / name
        compile_file(str(ROOT / f"tests/programs/{name}.lisp"), made[name])
    return made


@pytest.mark.parametrize("name", ["closures", "training"])
def test_needs_no_python(programs: dict[str, Path], name: str) -> None:
    traced = subprocess.run(
        [programs[name]], capture_output=True, text=True, check=True,
        env={**os.environ, "LD_DEBUG": "files"},
    ).stderr
    assert "calling init" in traced
    assert "libpython" not in traced
    assert ("libtorch_cpu" in traced) == (name == "training")
    alone = subprocess.run([programs[name]], env={}, cwd="/", capture_output=True)
    assert (alone.stderr, alone.returncode) == (b"", 0)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize(
    "name", ["closures", pytest.param("training", marks=pytest.mark.slow)]
)
def test_valgrind_finds_nothing(programs: dict[str, Path], name: str, all_random: bool) -> None:
    """No wrong access, and no lost block.  Without free lists, valgrind sees each object."""
    if name == "training" and not all_random:
        pytest.skip("valgrind takes half a minute to load LibTorch")
    done = subprocess.run(
        ["valgrind", "--quiet", f"--suppressions={ROOT / 'tests/support/valgrind.supp'}",
         "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect",
         "--show-leak-kinds=definite,indirect",
         programs[name]],
        env={**os.environ, "LAMBENT_ALLOC": "malloc", "LAMBENT_CHECK_LEAKS": "1"},
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "live handles: 0, live objects: 0" in done.stderr


def test_emitted_c_has_no_warnings(runner: ProgramRunner) -> None:
    """The programs with the most C stand for the whole suite."""
    from lambent.lang.compile.build.toolchain import include_flags
    from lambent.lang.pipeline import emit_file

    programs = ("conditionals", "constant_tests", "never_returns", "tail_calls")
    for name in ("examples/digits", *[f"tests/programs/{program}" for program in programs]):
        source = runner.folder / f"{Path(name).name}-warnings.c"
        source.write_text(emit_file(str(ROOT / f"{name}.lisp")))
        subprocess.run(
            ["gcc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-O2",
             *include_flags(), "-c", source, "-o", os.devnull],
            check=True,
        )
