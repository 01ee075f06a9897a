"""Random Lisp programs: the back ends agree on them, and no failure at any place leaks anything.

Compiled under ASan, all into one binary.  Each program runs once as a script and as an executable,
whose bytes must be equal, and then once for each of its fallible operations, which is made to fail.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from lambent.lang.compile.build import build_test_binary
from lambent.lang.compile.toolchain import Options
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source
from tests.random_sources import random_source

_DEFAULT_COUNT, _FULL_COUNT = 12, 300
_MOST_FAILURES = 500  # of one program; few have more operations that can fail
_BALANCED = "live handles: 0, live objects: 0"
_ENVIRONMENT = {
    **os.environ,
    "LAMBENT_CHECK_LEAKS": "1",
    "LAMBENT_ALLOC": "malloc",
    "ASAN_OPTIONS": "detect_leaks=0",  # the program's own count says more
}


@pytest.fixture(scope="module")
def sources(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of the programs: 300 with --all-random, one of four with tensors."""
    folder = tmp_path_factory.mktemp("random")
    count = _FULL_COUNT if request.config.getoption("--all-random") else _DEFAULT_COUNT
    paths = [folder / f"program{seed}.lisp" for seed in range(count)]
    for seed, path in enumerate(paths):
        path.write_text(random_source(seed, tensors=seed % 4 == 0), encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def binary(sources: list[Path]) -> Path:
    programs = {
        path.stem: compile_source(Source(str(path), path.read_text(encoding="utf-8")))
        for path in sources
    }
    return build_test_binary(programs, Options(optimize=False, sanitize=True, inject=True))


def test_both_back_ends_agree(sources: list[Path], binary: Path) -> None:
    for path in sources:
        script = _run([sys.executable, "-m", "lambent.lang", str(path)], os.environ)
        compiled = _run([str(binary), path.stem], _ENVIRONMENT)
        *lines, balance = compiled.stderr.splitlines()
        assert balance == _BALANCED, f"{path}\n{compiled.stderr}"
        warned = [line for line in script.stderr.splitlines() if not line.startswith("warning: ")]
        assert (compiled.returncode, compiled.stdout, lines) == (
            script.returncode, script.stdout, warned
        ), path  # fmt: skip


def test_no_failure_leaks(sources: list[Path], binary: Path) -> None:
    for path in sources:
        for failing in range(1, _MOST_FAILURES):
            environment = {**_ENVIRONMENT, "LAMBENT_FAIL_AT": str(failing)}
            result = _run([str(binary), path.stem], environment)
            balance = result.stderr.splitlines()[-1:]
            assert balance == [_BALANCED], f"{path}, failure {failing}\n{result.stderr}"
            if "injected failure" not in result.stderr:
                break  # it has no more operations that can fail


def _run(command: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=120, check=False
    )
