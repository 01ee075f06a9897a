"""Executables that another C compiler makes, for this machine or for one that qemu emulates.

    with chosen("clang"):
        done = outcome_of(ROOT / "tests/programs/doubles.lisp", folder)

    with chosen("aarch64-linux-gnu-gcc"):
        done = outcome_of(path, folder, "qemu-aarch64")
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lambent.lang.compile.build import toolchain
from lambent.lang.compile.build.build import build_executable
from lambent.lang.pipeline import compile_source, read_source
from tests.support.paths import ROOT
from tests.support.programs_run import Outcome, run

# In the C of programs and of the runtime.  They are errors.
WARNINGS = ("-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Werror")


@contextmanager
def chosen(*command: str) -> Iterator[None]:
    """Inside, CC names a compiler, and this process knows no other."""
    before = os.environ.get("CC")
    os.environ["CC"] = " ".join(command)
    _forget()
    try:
        yield
    finally:
        if before is None:
            del os.environ["CC"]
        else:
            os.environ["CC"] = before
        _forget()


def _forget() -> None:
    for asked_once in (toolchain.find_compiler, toolchain.compiler_identity, toolchain._gmp):
        asked_once.cache_clear()


def outcome_of(path: Path, folder: Path, *emulator: str) -> Outcome | None:
    """Compile a program of this repository and run it; None if an emulator is to run one that uses
    tensors, for which there is no LibTorch.

    The working folder has to be the repository's.
    """
    program = folder / f"{path.parent.name}-{path.stem}"
    owned = compile_source(read_source(str(path.relative_to(ROOT))), program, None)
    if emulator and owned.uses_tensors:
        return None
    build_executable(owned, program)
    return run([*emulator, str(program)], ROOT)
