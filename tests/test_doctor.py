"""`lambent doctor` finds what is here, and names what is not with one line that mends it."""

import os
import subprocess
import sys


def doctor(**env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lambent.lang", "doctor"], env={**os.environ, **env},
        capture_output=True, text=True, timeout=100,
    )


def test_everything_is_here() -> None:
    done = doctor()
    assert (done.stderr, done.returncode) == ("", 0)
    assert "missing" not in done.stdout
    assert "LibTorch      2.13.0" in done.stdout


def test_no_compilers() -> None:
    done = doctor(PATH="/nowhere", CC="", CXX="")
    assert (done.stderr, done.returncode) == ("", 1)
    lines = done.stdout.splitlines()
    assert "missing  C compiler    sudo apt-get install gcc" in lines
    assert "missing  C++ compiler  sudo apt-get install g++" in lines
    assert lines[-1] == "missing: C compiler, GMP, C++ compiler"
