"""Build ctorch with several versions of torch, and run the tests that touch LibTorch with each.

    python -m tests.stress.try_versions 2.13.0 2.14.1        installs each in a venv of its own
    python -m tests.stress.try_versions ~/unpacked/torch-2.14  a folder that holds `torch`

A maintainer runs this before extending the range in `ctorch/build.py` and `pyproject.toml`.  It
takes some minutes for each version, and gigabytes where torch includes CUDA.  Everything goes to
build/versions and stays there, so a second run only tests.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.paths import ROOT

FOLDER = ROOT / "build" / "versions"
TESTS = (
    "tests/programs", "tests/suites/tensors/test_ctorch.py",
    "tests/suites/compile/test_typed.py", "tests/suites/compile/test_loading.py",
)
NEEDED = ("setuptools", "lark", "cffi", "numpy", "pytest", "pytest-xdist", "hypothesis", "pexpect")


def main(words: list[str]) -> int:
    failed = [word for word in words if not _try(word)]
    print(f"failed: {', '.join(failed)}" if failed else f"passed: {', '.join(words)}")
    return 1 if failed else 0


def _try(word: str) -> bool:
    print(f"== torch {word}", flush=True)
    folder = Path(word).resolve()
    cache = FOLDER / folder.name / "cache"
    environment = {**os.environ, "LAMBENT_CACHE": str(cache), "LAMBENT_ANY_TORCH": "yes"}
    if (folder / "torch").is_dir():
        environment["PYTHONPATH"] = str(folder)
        python = sys.executable
    else:
        python = _installed(word)
    build = "from lambent.ctorch import build; print(build.find_torch().version, build.built())"
    return all(
        _runs([python, *command], environment)
        for command in (["-c", build], ["-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS])
    )


def _installed(version: str) -> str:
    """The Python of an environment with that torch and this Lambent."""
    environment = FOLDER / version / "venv"
    python = environment / "bin" / "python"
    if not python.exists():
        pinned = FOLDER / version / "constraints.txt"
        pinned.parent.mkdir(parents=True, exist_ok=True)
        lines = (ROOT / "constraints.txt").read_text().splitlines()
        pinned.write_text("\n".join(line for line in lines if not line.startswith("torch=")))
        pip = [str(python), "-m", "pip", "install", "--quiet", "-c", str(pinned)]
        for command in (
            [sys.executable, "-m", "venv", str(environment)],
            [*pip, f"torch=={version}", *NEEDED],
            [*pip, "--no-build-isolation", "--no-deps", "--editable", str(ROOT)],
        ):
            subprocess.run(command, check=True)
    return str(python)


def _runs(command: list[str], environment: Mapping[str, str]) -> bool:
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
