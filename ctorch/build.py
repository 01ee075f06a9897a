"""Build the library on demand, once for each LibTorch that it meets.

LibTorch's C++ interface changes from version to version, so no built library can be shipped: the
sources are, and the first program that needs a tensor compiles them (a minute or two).  The result
stays in the cache folder, under a key of everything that it depends on:

    ~/.cache/lambent/ctorch/2.13.0+cpu-cpython-311-4f1c.../liblambent_ctorch.so
                                                           _lambent_ctorch.so

A warm start only computes the key: it reads the sources and looks at the dates of LibTorch and of
the compiler.  Without a compiler, what any compiler has built before will do.
"""

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TextIO
from zlib import crc32

from lambent.lang.errors import UsageFault
from lambent.lang.system.cache import (
    cache_folder,
    ensure_folder,
    is_complete,
    problem_with,
    runs_programs,
    usable_folders,
    writable_folder,
)
from lambent.lang.system.cache_path import is_closed
from lambent.lang.system.compilers import command_of, command_stamp, stamp
from lambent.lang.system.scratch import scratch_folder

HERE = Path(__file__).parent
ROOT = HERE.parent
LIBRARY = "liblambent_ctorch.so"
MODULE = "_lambent_ctorch.so"  # the cffi module and the evaluator's extension, in one
# The versions of torch that were tried (tests/stress/try_versions.py), from the first to one too
# many.
OLDEST, TOO_NEW = (2, 13), (2, 15)
ANY_TORCH = "LAMBENT_ANY_TORCH"  # set, to try another
LOCKS = 8
PAUSE = 0.1  # seconds between two looks at a lock
# What typed.cpp and exports.c are made from, and by.
TYPED = (HERE / "typed_source.py", HERE / "stubs_source.py",
         ROOT / "lang" / "primitives" / "typed.py")
LIBRARIES = ("torch_cpu", "c10")  # never torch_python
# NDEBUG as LibTorch itself was built: some of its classes have other fields without.
CXX_FLAGS = (
    "-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fno-plt", "-fvisibility-inlines-hidden",
    "-DAT_PER_OPERATOR_HEADERS",
)
C_FLAGS = ("-x", "c", "-std=c11", "-O2", "-fPIC")


@dataclass(frozen=True, slots=True)
class Torch:
    """An installed LibTorch.  It comes inside Python's torch package, which is never imported."""

    folder: Path
    version: str

    @property
    def lib(self) -> Path:
        return self.folder / "lib"

    @property
    def headers_stamp(self) -> str:
        """The same for copies of one release, wherever they lie: what is compiled fits them all."""
        sizes = [(self.lib / f"lib{name}.so").stat().st_size for name in LIBRARIES]
        return f"{(self.folder / 'version.py').read_text()} {sizes}"

    @property
    def include(self) -> Path:
        return self.folder / "include"


def supported_range() -> str:
    """The versions of torch that Lambent is for, as pip writes it: ">=2.13,<2.15"."""
    return f">={_text(OLDEST)},<{_text(TOO_NEW)}"


def _text(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


@cache
def find_torch() -> Torch:
    """The torch package that is installed; a UsageFault if there is none that will do."""
    torch = any_torch()
    numbers = tuple(map(int, re.findall(r"\d+", torch.version)[:2]))
    if not OLDEST <= numbers < TOO_NEW and not os.environ.get(ANY_TORCH):
        raise UsageFault(
            f"tensors need torch {supported_range()}, and {torch.folder} is torch {torch.version}",
            hint=_installation(),
        )
    return torch


def _installation() -> str:
    return f"{sys.executable} -m pip install 'torch{supported_range()}'"


def any_torch() -> Torch:
    """The torch package that is installed, of whatever version."""
    from importlib.util import find_spec

    spec = find_spec("torch")
    places = spec.submodule_search_locations if spec else None
    folder = Path(places[0]).resolve() if places else None
    if folder is None or not (folder / "lib" / "libtorch_cpu.so").exists():
        raise UsageFault(
            "tensors need LibTorch: no torch package is installed",
            hint=_installation(),
        )
    return Torch(folder, _version(folder))


def _version(folder: Path) -> str:
    for line in (folder / "version.py").read_text().splitlines():
        if line.startswith("__version__"):
            return line.split("=")[1].strip().strip("'\"")
    raise UsageFault(f"{folder} is no torch package: version.py names no version")


def find_compiler() -> tuple[str, ...] | None:
    """The command of a C++ compiler, whose program is a path; CXX chooses another."""
    if os.environ.get("CXX"):
        return command_of("CXX")
    found = (shutil.which(name) for name in ("g++", "c++", "clang++"))
    return next(((path,) for path in found if path), None)


@cache
def built() -> Path:
    """The folder with the library and the module, built now if it has to be."""
    found = built_already()
    if found:
        return found
    torch, compiler = find_torch(), find_compiler()
    key, full_key = _keys(torch, compiler)
    if full_key is None or compiler is None:
        raise _no_compiler()
    folder = _build_folder()
    with _locked(folder, full_key):
        return _built_before(folder, key, full_key) or _build(torch, compiler, folder / full_key)


def _no_compiler() -> UsageFault:
    chosen = os.environ.get("CXX")
    missing = f"there is no {chosen}, which CXX names" if chosen else "no g++ is found"
    return UsageFault(
        f"tensors need a C++ compiler, once, to build the LibTorch interface: {missing}",
        hint="sudo apt install g++",
    )


def cpp_sources() -> list[Path]:
    return sorted(HERE.rglob("*.cpp"))


def c_sources() -> list[Path]:
    """The Python extension's; those of bridge/ belong to executables."""
    return sorted((HERE / "python").glob("*.c"))


def headers() -> list[Path]:
    return sorted(path for path in HERE.rglob("*.h") if path.parent.name != "bridge")


def built_already() -> Path | None:
    """The same folder, if it is there."""
    key, full_key = _keys(find_torch(), find_compiler())
    folders = (base / "ctorch" for base in usable_folders())
    found = (
        _built_before(folder, key, full_key) for folder in folders if is_closed(str(folder))
    )
    return next(filter(None, found), None)


def _keys(torch: Torch, compiler: tuple[str, ...] | None) -> tuple[str, str | None]:
    """The key without and with the compiler."""
    key = _key(torch)
    return key, f"{key}-{command_stamp(compiler)}" if compiler else None


def _key(torch: Torch) -> str:
    check = 0
    for path in (*cpp_sources(), *c_sources(), *headers(), *TYPED, HERE / "build.py"):
        check = crc32(path.read_bytes(), crc32(str(path.relative_to(ROOT)).encode(), check))
    place = stamp(torch.lib / "libtorch_cpu.so")
    return f"{torch.version}-{sys.implementation.cache_tag}-{check:08x}-{place}"


def _built_before(folder: Path, key: str, full_key: str | None) -> Path | None:
    if full_key is not None:
        exact = folder / full_key
        return exact if is_complete(exact) else None
    candidates = sorted(p for p in folder.glob(f"{key}-*") if is_complete(p))
    return candidates[0] if candidates else None


def _build_folder() -> Path:
    """Where to build; a word about it if that is not where the user wants such things."""
    base = writable_folder()
    if base != cache_folder():
        say(f"cannot use the cache folder {cache_folder()}: {problem_with(cache_folder())}; "
            f"using {base}")
    if not runs_programs(base):
        raise UsageFault(
            f"cannot load libraries from the cache folder {base}: its device is mounted noexec",
            hint="LAMBENT_CACHE names another folder",
        )
    return ensure_folder(base / "ctorch")


@contextmanager
def _locked(folder: Path, key: str) -> Iterator[None]:
    """Keep other processes from building the same at the same time.

    There are a few locks, so that who builds something else seldom waits.
    """
    with (folder / f"lock-{crc32(key.encode()) % LOCKS}").open("w") as lock:
        if not _gets(lock):
            say("another process is building the LibTorch interface; waiting for it to end")
        # Not one long wait, which Ctrl-C could not end in every thread.
        while not _gets(lock):
            time.sleep(PAUSE)
        yield


def _gets(lock: TextIO) -> bool:
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks: two builds at once cost only time
    return True


def say(text: str) -> None:
    print(f"lambent: {text}", file=sys.stderr, flush=True)


def _build(torch: Torch, compiler: tuple[str, ...], target: Path) -> Path:
    """Compile in a scratch folder; the target appears only when it is whole."""
    from lambent.ctorch import compiling

    say(f"building the LibTorch interface for torch {torch.version} (once, a minute or two)")
    try:
        with scratch_folder(target.parent) as scratch:
            compiling.compile_all(torch, compiler, target, scratch)
    except OSError as error:  # such as a full disk
        raise UsageFault(
            f"building the LibTorch interface failed: {target.parent}: {error.strerror}",
            hint="LAMBENT_CACHE names another folder",
        ) from None
    return target
