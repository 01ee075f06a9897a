"""Build ctorch with several versions of torch, and run the tests that touch LibTorch with each.

    python -m tests.stress.try_versions 2.9.1 2.15.0       unpacks each in build/versions
    python -m tests.stress.try_versions ~/unpacked/torch-2.14  a folder that holds `torch`

A maintainer runs this before extending the range in `ctorch/build.py` and `pyproject.toml`.  It
takes some minutes for each version, and a gigabyte where torch includes CUDA: of CUDA's own
packages only the two that libtorch_cpu.so itself needs are unpacked beside it.  So `import torch`
fails there, and the tests that compare with it are not among these.  Everything stays, so a second
run only tests.
"""

import os
import re
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
# The packages of CUDA's libraries, without their version: `nvidia-cuda-runtime-cu12` until CUDA 12.
CUDA_PACKAGES = {"libcudart.so": "nvidia-cuda-runtime", "libcupti.so": "nvidia-cuda-cupti"}


def main(words: list[str]) -> int:
    failed = [word for word in words if not _try(word)]
    print(f"failed: {', '.join(failed)}" if failed else f"passed: {', '.join(words)}")
    return 1 if failed else 0


def _try(word: str) -> bool:
    print(f"== torch {word}", flush=True)
    folder = Path(word).resolve()
    if not (folder / "torch").is_dir():
        folder = _unpacked(word)
    environment = {
        **os.environ, "LAMBENT_CACHE": str(FOLDER / folder.name / "cache"),
        "LAMBENT_ANY_TORCH": "yes", "PYTHONPATH": str(folder),
    }
    build = "from lambent.ctorch import build; print(build.find_torch().version, build.built())"
    return all(
        _runs([sys.executable, *command], environment)
        for command in (["-c", build], ["-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS])
    )


def _unpacked(version: str) -> Path:
    """The folder with that torch, and what its libtorch_cpu.so needs."""
    folder = FOLDER / version
    if not (folder / "torch").exists():
        _install(folder, f"torch=={version}")
    library = (folder / "torch" / "lib" / "libtorch_cpu.so").read_bytes()
    for name, package in CUDA_PACKAGES.items():
        needed = re.search(rb"\0" + re.escape(name).encode() + rb"\.(\d+)\0", library)
        if needed and not list(folder.glob(f"nvidia/**/{name}.*")):
            major = int(needed[1])
            _install(folder, f"{package}-cu{major}" if major < 13 else f"{package}=={major}.*")
    return folder


def _install(folder: Path, package: str) -> None:
    command = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), package]
    subprocess.run([sys.executable, *command], check=True)


def _runs(command: list[str], environment: Mapping[str, str]) -> bool:
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
