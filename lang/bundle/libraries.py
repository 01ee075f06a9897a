"""The shared libraries of a bundle: what ctorch needs, of whatever machine it is made on.

    copy_libraries(folder)  =>  folder/ctorch/liblambent_ctorch.so, libtorch_cpu.so, libc10.so ...
                                folder/licenses/torch/LICENSE

The closure is what the loader itself would load: each library's ELF file names those that it is
linked with.  The C library's own are left out, because they must fit the machine's loader.  ctorch
opens further ones by name; `lambent doctor` has the list.

Each copy lacks the tables that only debuggers read, and looks for the others in its own
folder first, whatever LD_LIBRARY_PATH says.
"""

import ctypes
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from lambent.ctorch import build
from lambent.ctorch.stubs_source import Site
from lambent.lang.doctor import LIBRARIES, Library
from lambent.lang.errors import UsageFault
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.elf import Elf

FOLDER = "lambent-libraries"  # load.c knows it, and the next one; library.c, too
CTORCH = "ctorch"
_LINK_MAP = 2  # RTLD_DI_LINKMAP of dlfcn.h


@dataclass(frozen=True, slots=True)
class Copied:
    """The libraries of a bundle.  glibc: the version that they need, as (2, 34).  saved: the bytes
    of the tables that were left out.  absent: a line for each that this machine lacks."""

    site: Site
    glibc: tuple[int, int]
    saved: int
    absent: tuple[str, ...]


def copy_libraries(folder: Path) -> Copied:
    """Copy what a program with tensors needs into a new folder."""
    torch, ctorch = build.find_torch(), build.built() / build.LIBRARY
    opened, absent = opened_by_name(
        {what: library for what, library in LIBRARIES.items() if not library.optional}
    )
    needed = closure({ctorch.name: ctorch} | opened)
    target = folder / CTORCH
    target.mkdir(parents=True)
    saved = sum(_copy(path, target / name) for name, path in needed.items())
    (target / "version.py").write_text(f"__version__ = '{torch.version}'\n")
    _copy_licenses(torch, folder / "licenses" / "torch")
    names = sorted(needed, key=lambda name: (name != ctorch.name, name))
    glibc = max(Elf.read(target / name).needed_glibc() for name in names)
    parts = tuple((name, (target / name).stat().st_size) for name in names)
    site = Site(Path(FOLDER) / CTORCH, None, torch.version, parts)
    return Copied(site, glibc, saved, tuple(absent))


def closure(libraries: Mapping[str, Path]) -> dict[str, Path]:
    """Libraries and all that they are linked with, but the C library's, by their names."""
    reached = dict(libraries)
    outside: set[str] = set()  # the C library's
    waiting = [Elf.read(path) for path in libraries.values()]
    while waiting:
        user = waiting.pop()
        for name in user.needed:
            if name in reached or name in outside:
                continue
            library = Elf.read(_find(name, user))
            if library.is_of_libc:
                outside.add(name)
            else:
                reached[name] = library.path
                waiting.append(library)
    return reached


def opened_by_name(libraries: Mapping[str, Library]) -> tuple[dict[str, Path], list[str]]:
    """Libraries that programs open by their names, and a line for each that is not installed."""
    paths: dict[str, Path] = {}
    absent = []
    for what, library in libraries.items():
        for name in library.names:
            if installed := loaded_from(name):
                paths[name] = installed
                break
        else:
            absent.append(f"{what}: {library.need}")
    return paths, absent


def _find(name: str, user: Elf) -> Path:
    """Where the loader finds a library that another one is linked with."""
    for folder in user.search_path:
        place = Path(folder.replace("$ORIGIN", str(user.path.parent))) / name
        if place.exists():
            return place.resolve()
    if loaded := loaded_from(name):
        return loaded
    raise UsageFault(f"cannot bundle {user.path.name}: it needs {name}, which is not found")


class _LinkMap(ctypes.Structure):
    """The beginning of the loader's record of a library."""

    _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))


def loaded_from(name: str) -> Path | None:
    """The file that the loader loads for a name, or None."""
    try:
        library = ctypes.CDLL(name)
        record = ctypes.POINTER(_LinkMap)()
        dlinfo = ctypes.CDLL(None).dlinfo
        dlinfo.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        failed = dlinfo(library._handle, _LINK_MAP, ctypes.byref(record))
    except (OSError, AttributeError):
        return None
    return None if failed else Path(record.contents.name.decode()).resolve()


def is_defined(library: str, symbol: str, version: str) -> bool:
    """Whether a library of this machine defines a symbol in a version."""
    opened = ctypes.CDLL(library)
    find = ctypes.CDLL(None).dlvsym
    find.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
    find.restype = ctypes.c_void_p
    return find(opened._handle, symbol.encode(), version.encode()) is not None


# Copies.


def _copy(source: Path, target: Path) -> int:
    """Copy a file of the bundle; the number of bytes that are left out."""
    if ".so" not in target.name:
        shutil.copyfile(source, target)
        return 0
    library = Elf.read(source)
    library.drop_symbols()
    if library.search_path:
        library.search_in("$ORIGIN")  # the folder of the file itself
    library.write(target)
    return source.stat().st_size - target.stat().st_size


def _copy_licenses(torch: build.Torch, target: Path) -> None:
    """Copy what LibTorch's licence asks to hand on."""
    target.mkdir(parents=True)
    for path in sorted(_licenses(torch)):
        shutil.copyfile(path, target / path.name)


def _licenses(torch: build.Torch) -> Iterator[Path]:
    for folder in torch.folder.parent.glob("torch-*.dist-info"):
        for name in ("LICENSE*", "NOTICE*"):
            yield from (path for path in folder.rglob(name) if path.is_file())
