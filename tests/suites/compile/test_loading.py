"""Executables find ctorch and LibTorch when they start, and report what is wrong with them."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent import ctorch
from lambent.ctorch import build, stubs_source
from lambent.lang.compile.build.build import build_executable
from lambent.lang.compile.build.toolchain import Options, find_compiler
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source

PROGRAM = compile_source(Source("t.lisp", "(print (tensor-sum (tensor '(1.5 2.5))))\n"))
BUNDLE = "or ask for a bundle of the program, which `lambent bundle` makes\n"
CHOOSE = f"; set LAMBENT_LIBTORCH to the folder of a torch package of that version, {BUNDLE}"
AGAIN = ("; ask for a bundle of the program, or compile it again, with `lambent bundle` or "
         "`lambent compile`\n")


@dataclass(frozen=True, slots=True)
class Installation:
    """A copy of the library and of the torch package, to be damaged."""

    folder: Path
    version: str

    @property
    def library(self) -> Path:
        return self.folder / build.LIBRARY

    @property
    def torch(self) -> Path:
        return self.folder / "torch"

    def run(self, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.folder / "program"], capture_output=True, text=True, check=False,
            env={**os.environ, **env},
        )

    def refusal(self, advice: str = AGAIN, **env: str) -> str:
        """The message of the program, which must not reach its first line."""
        done = self.run(**env)
        assert (done.stdout, done.returncode) == ("", 70)
        start = f"this program needs LibTorch {self.version}, but "
        assert done.stderr.startswith(start) and done.stderr.endswith(advice)
        assert done.stderr.count("\n") == 1
        return done.stderr.removeprefix(start).removesuffix(advice)


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Installation]:
    """An executable that is compiled for a copy of the library in the folder."""

    def made(library: Path) -> Installation:
        torch = build.find_torch()
        # Characters that mean something to C, printf, the linker or the loader.
        copy = Installation(tmp_path / 'a "b", $ORIGIN:%s\\', torch.version)
        copy.torch.mkdir(parents=True)
        (copy.torch / "version.py").write_bytes((torch.folder / "version.py").read_bytes())
        copy.library.write_bytes(library.read_bytes())
        monkeypatch.setattr(ctorch, "library_path", lambda: copy.library)
        monkeypatch.setattr(build, "find_torch", lambda: build.Torch(copy.torch, torch.version))
        build_executable(PROGRAM, copy.folder / "program", Options(strict=True))
        return copy

    return made


@pytest.fixture
def installation(make: Callable[[Path], Installation]) -> Installation:
    return make(ctorch.library_path())


def test_program_runs(installation: Installation) -> None:
    done = installation.run()
    assert (done.stdout, done.stderr, done.returncode) == ("4.0\n", "", 0)


def test_torch_of_another_version(installation: Installation) -> None:
    (installation.torch / "version.py").write_text("# new\n__version__ = '2.99.1+cpu'\n")
    assert installation.refusal(CHOOSE) == f"{installation.torch} has LibTorch 2.99.1+cpu"


def test_missing_torch(installation: Installation) -> None:
    (installation.torch / "version.py").unlink()
    assert installation.refusal(CHOOSE) == f"it is no longer in {installation.torch}"


def test_a_torch_without_a_version(installation: Installation) -> None:
    (installation.torch / "version.py").write_text("__version__\n" * 1000)
    said = f"{installation.torch}/version.py does not name a version"
    assert installation.refusal(CHOOSE) == said


def test_torch_in_another_folder(installation: Installation) -> None:
    """The one that it was compiled for may be gone."""
    (installation.torch / "version.py").unlink()
    done = installation.run(LAMBENT_LIBTORCH=str(build.any_torch().folder))
    assert (done.stdout, done.stderr, done.returncode) == ("4.0\n", "", 0)
    said = f"LAMBENT_LIBTORCH names {installation.torch}, which has no libtorch_cpu.so"
    assert installation.refusal(CHOOSE, LAMBENT_LIBTORCH=str(installation.torch)) == said


@pytest.mark.parametrize("size", [0, 10, 10_000])
def test_a_truncated_torch_in_another_folder(
    size: int, installation: Installation, tmp_path: Path
) -> None:
    (tmp_path / "version.py").write_text(f"__version__ = '{installation.version}'\n")
    with (build.any_torch().lib / "libtorch_cpu.so").open("rb") as file:
        (tmp_path / "libtorch_cpu.so").write_bytes(file.read(size))
    said = f"{tmp_path}/libtorch_cpu.so is damaged"
    assert installation.refusal(CHOOSE, LAMBENT_LIBTORCH=str(tmp_path)) == said


def test_another_torch_in_another_folder(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "lib").symlink_to(build.any_torch().lib)
    (tmp_path / "version.py").write_text("__version__ = '2.99.1+cpu'\n")
    said = f"{tmp_path} has LibTorch 2.99.1+cpu"
    assert installation.refusal(CHOOSE, LAMBENT_LIBTORCH=str(tmp_path)) == said


def test_missing_library(installation: Installation) -> None:
    installation.library.unlink()
    assert installation.refusal() == f"{installation.library} does not exist"


def test_truncated_library(installation: Installation) -> None:
    size = installation.library.stat().st_size
    with installation.library.open("r+b") as file:
        file.truncate(100_000)
    said = f"{installation.library} is another file now: it has 100000 bytes instead of {size}"
    assert installation.refusal() == said


def test_library_that_cannot_be_loaded(
    make: Callable[[Path], Installation], tmp_path: Path
) -> None:
    text = tmp_path / "text"
    text.write_text("no library")
    assert make(text).refusal().startswith("it cannot be loaded: ")


def test_library_that_lacks_functions(make: Callable[[Path], Installation], tmp_path: Path) -> None:
    source, library = tmp_path / "other.c", tmp_path / "other.so"
    source.write_text(
        '#include "bridge/load.h"\n'
        f'const bridge_exports ct_exports = {{"0", {len(stubs_source.functions())}, NULL}};\n'
    )
    subprocess.run(
        [*find_compiler(), "-shared", "-fPIC", f"-I{build.HERE}", source, "-o", library],
        check=True,
    )
    installation = make(library)
    assert installation.refusal() == f"{installation.library} is of another version of Lambent"


def test_the_folder_in_which_it_is_compiled_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example, if LAMBENT_CACHE is a relative path."""
    (tmp_path / "cache").symlink_to(ctorch.library_path().parent)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ctorch, "library_path", lambda: Path("cache") / build.LIBRARY)
    build_executable(PROGRAM, tmp_path / "program")
    assert subprocess.run([tmp_path / "program"], cwd="/", check=True).returncode == 0
