"""The tests of this folder on the evaluator, or on the interpreter where that is the default."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lambent
import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from tests.support.paths import ROOT

IS_WITHIN = "LAMBENT_EMBED_TESTS"


@pytest.mark.slow
@pytest.mark.skipif(IS_WITHIN in os.environ, reason="these are the tests on the other machine")
def test_on_the_other_machine(tmp_path: Path) -> None:
    is_evaluator = "evaluator" in lambent.Session.__module__
    environment = {**os.environ, "LAMBENT_MACHINE": "0" if is_evaluator else "1", IS_WITHIN: "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-n0", f"--basetemp={tmp_path / 'inner'}"]
    done = subprocess.run(
        [*command, str(Path(__file__).parent)], env=environment, cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )
    assert done.returncode == 0, done.stdout[-10_000:]
