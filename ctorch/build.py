"""Build the library on demand, once for each LibTorch that it meets.

LibTorch's C++ interface changes from version to version, so no built library can be shipped: the
sources are, and the first program that needs a tensor compiles them (a minute or two).  The result
is kept in the cache folder, under a key of everything that it depends on:

    ~/.cache/lambent/ctorch/2.13.0+cpu-cpython-311-4f1c.../liblambent_ctorch.so
                                                           _lambent_ctorch.so

A warm start only computes the key: it reads the sources and looks at the dates of LibTorch and of
the compiler.  Without a compiler, a library that any compiler has built before is used.
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
    is_damaged,
    problem_with,
    runs_programs,
    usable_folders,
    writable_folder,
)
from lambent.lang.system.cache_path import is_closed, report_damage
from lambent.lang.system.compilers import command_of, command_stamp, stamp
from lambent.lang.system.scratch import scratch_folder

HERE = Path(__file__).parent
ROOT = HERE.parent
CARRIED = ROOT / "built"  # what a wheel carries compiled; a working copy has no such folder
FROM_CARRIED = "../../../.."  # from there to the folder of all packages: lambent/built/ctorch/KEY
LIBRARY = "liblambent_ctorch.so"
MODULE = "_lambent_ctorch.so"  # the cffi module and the evaluator's extension, in one
# The versions of torch that were tested (tests/stress/try_versions.py): the first, and the last.
OLDEST, NEWEST = (2, 9), (2, 15)
ANY_TORCH = "LAMBENT_ANY_TORCH"  # if set, other versions are allowed
LOCKS = 8
PAUSE = 0.1  # seconds between two looks at a lock
# The files that generate C++ and C when the library is built, and their data.
GENERATORS = (
    HERE / "typed_source.py", HERE / "stubs_source.py", HERE / "conversions_source.py",
    ROOT / "lang" / "primitives" / "typed.py", ROOT / "lang" / "primitives" / "conversions.py",
)
# The runtime's reader of JSON, and what else of the runtime is included.
JSON = ROOT / "runtime" / "text" / "json.c"
SHARED_HEADERS = (
    JSON.with_suffix(".h"), JSON.with_name("pcre2_abi.h"),
    ROOT / "runtime" / "ports" / "zlib_abi.h",
)
LIBRARIES = ("torch_cpu", "c10")  # never torch_python
# NDEBUG as in LibTorch's own build: without it, some of its classes have other fields.
CXX_FLAGS = (
    "-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fno-plt", "-fvisibility-inlines-hidden",
    "-DAT_PER_OPERATOR_HEADERS",
)
C_FLAGS = ("-x", "c", "-std=c11", "-O2", "-fPIC")


@dataclass(frozen=True, slots=True)
class Torch:
    """An installed LibTorch.  It is in Python's torch package, which is never imported."""

    folder: Path
    version: str

    @property
    def lib(self) -> Path:
        return self.folder / "lib"

    @property
    def headers_stamp(self) -> str:
        """The same for all copies of one release, in any folder: compiled code fits them all."""
        sizes = [(self.lib / f"lib{name}.so").stat().st_size for name in LIBRARIES]
        return f"{(self.folder / 'version.py').read_text()} {sizes}"

    @property
    def include(self) -> Path:
        return self.folder / "include"


def supported_range() -> str:
    """The versions of torch that Lambent supports, as pip writes them: ">=2.9,<2.16"."""
    return f">={_text(OLDEST)},<{_text((NEWEST[0], NEWEST[1] + 1))}"


def _text(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


@cache
def find_torch() -> Torch:
    """The torch package that is installed; a UsageFault if there is none, or it is unsupported."""
    torch = any_torch()
    numbers = tuple(map(int, re.findall(r"\d+", torch.version)[:2]))
    if not OLDEST <= numbers <= NEWEST and not os.environ.get(ANY_TORCH):
        raise UsageFault(
            f"tensors need torch {supported_range()}, and {torch.folder} is torch {torch.version}",
            hint=_installation(),
        )
    return torch


def _installation() -> str:
    return f"{sys.executable} -m pip install 'torch{supported_range()}'"


def any_torch() -> Torch:
    """The torch package that is installed, of any version."""
    from importlib.util import find_spec

    spec = find_spec("torch")
    folders = spec.submodule_search_locations if spec else None
    folder = Path(folders[0]).resolve() if folders else None
    if folder is not None and (folder / "lib" / "libtorch_cpu.dylib").exists():
        raise UsageFault(
            f"tensors need LibTorch for Linux, and {folder} has it for macOS",
            hint="without tensors, scripts and executables need no LibTorch",
        )
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
    raise UsageFault(f"{folder} is not a torch package: version.py has no version")


def find_compiler() -> tuple[str, ...] | None:
    """The command of a C++ compiler, whose first word is a path; CXX chooses another compiler."""
    if os.environ.get("CXX"):
        return command_of("CXX")
    compilers = (shutil.which(name) for name in ("g++", "c++", "clang++"))
    return next(((path,) for path in compilers if path), None)


@cache
def built() -> Path:
    """The folder with the library and the module, built now if necessary."""
    library = built_already()
    if library:
        return library
    torch, compiler = find_torch(), find_compiler()
    key, full_key = _keys(torch, compiler)
    if full_key is None or compiler is None:
        raise no_compiler()
    folder = _build_folder()
    with locked(folder, full_key):
        return _built_before(folder, key, full_key) or _build(torch, compiler, folder / full_key)


def no_compiler() -> UsageFault:
    chosen = os.environ.get("CXX")
    missing = f"{chosen}, which CXX names, is not found" if chosen else "g++ is not found"
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
    """The same folder, if it exists."""
    key, full_key = _keys(find_torch(), find_compiler())
    folders = (base / "ctorch" for base in usable_folders())
    libraries = (
        _built_before(folder, key, full_key) for folder in folders if is_closed(str(folder))
    )
    return next(filter(None, libraries), None) or _carried(find_torch())


def _carried(torch: Torch) -> Path | None:
    """The folder that a wheel has brought, if it is for this LibTorch and Python."""
    if not CARRIED.exists():
        return None
    folder = CARRIED / "ctorch" / carried_name(torch)
    if not folder.exists() or (folder / FROM_CARRIED / "torch").resolve() != torch.folder:
        return None
    return folder if is_complete(folder) else None


def carried_name(torch: Torch) -> str:
    """The name of that folder: unlike the cache's it does not depend on dates."""
    check = crc32(torch.headers_stamp.encode(), _sources_check())
    return f"{torch.version}-{sys.implementation.cache_tag}-{check:08x}"


def damaged_folder() -> Path | None:
    """The folder that was built here and has been damaged since."""
    _, full_key = _keys(find_torch(), find_compiler())
    folders = [base / "ctorch" / full_key for base in usable_folders() if full_key is not None]
    return next(filter(is_damaged, folders), None)


def _keys(torch: Torch, compiler: tuple[str, ...] | None) -> tuple[str, str | None]:
    """The key without and with the compiler."""
    key = _key(torch)
    return key, f"{key}-{command_stamp(compiler)}" if compiler else None


def _key(torch: Torch) -> str:
    torch_stamp = stamp(torch.lib / "libtorch_cpu.so")
    return f"{torch.version}-{sys.implementation.cache_tag}-{_sources_check():08x}-{torch_stamp}"


@cache
def _sources_check() -> int:
    check = 0
    how = (HERE / name for name in ("build.py", "compiling.py", "library_flags.py"))
    own = (*cpp_sources(), *c_sources(), *headers(), *GENERATORS, *how)
    for path in (*own, JSON, *SHARED_HEADERS):
        check = crc32(path.read_bytes(), crc32(str(path.relative_to(ROOT)).encode(), check))
    return check


def _built_before(folder: Path, key: str, full_key: str | None) -> Path | None:
    if full_key is not None:
        exact = folder / full_key
        return exact if is_complete(exact) else None
    candidates = sorted(p for p in folder.glob(f"{key}-*") if is_complete(p))
    return candidates[0] if candidates else None


def _build_folder() -> Path:
    """The folder to build in; a warning if it is not the configured cache folder."""
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
def locked(folder: Path, key: str) -> Iterator[None]:
    """Keep other processes from building the same library at the same time.

    There are several locks, so that builds of different libraries seldom wait for each other.
    """
    with (folder / f"lock-{crc32(key.encode()) % LOCKS}").open("w") as lock:
        if not _acquire(lock):
            say("another process is building the LibTorch interface; waiting for it to end")
        # Short waits, as Ctrl-C does not end a long one in every thread.
        while not _acquire(lock):
            time.sleep(PAUSE)
        yield


def _acquire(lock: TextIO) -> bool:
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks: two builds at the same time only cost time
    return True


def say(text: str) -> None:
    print(f"lambent: {text}", file=sys.stderr, flush=True)


def _build(torch: Torch, compiler: tuple[str, ...], target: Path) -> Path:
    """Compile in a scratch folder; the target appears only when it is complete."""
    from lambent.ctorch import compiling

    if is_damaged(target):
        report_damage(str(target))
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
