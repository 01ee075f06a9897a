"""`lambent bundle PROGRAM.lisp -o FOLDER`: a program with all that it needs, for other machines.

    digits/digits                            the executable
    digits/lambent-libraries/ctorch/         liblambent_ctorch.so, libtorch_cpu.so, libgomp.so.1 ...
    digits/data/digits.csv                   what --files names

A machine of the same processor family runs it, if its C library is as new as this machine's: no
Python, compiler, torch package or cache is needed.  The executable of a program without tensors is
alone in its folder.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from lambent.lang.bundle.archives import ARCHIVES, EVERYONE_READS, EVERYONE_RUNS, pack
from lambent.lang.bundle.files import find_files
from lambent.lang.bundle.libraries import (
    FOLDER,
    Copied,
    closure,
    copy_libraries,
    is_defined,
    loaded_from,
    opened_by_name,
)
from lambent.lang.compile.build.build import build_executable
from lambent.lang.compile.build.toolchain import (
    BundledLibraries,
    require_own_machine,
    static_gmp,
)
from lambent.lang.doctor import GZIP, LIBRARIES, Library
from lambent.lang.errors import MissingInput, UsageFault
from lambent.lang.pipeline import Warn, compile_source, read_source
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.elf import Elf
from lambent.lang.system.output_folders import check_folder, check_parent, unfinished_folder
from lambent.lang.system.outputs import check_destination

_OLDEST_GLIBC = (2, 17)  # with what is newer missing, the executable starts, and says what it needs
_MARK = b"lambent needs glibc "  # runtime/machine.c
_ROOM = 12  # bytes behind the mark
_GMP = "libgmp.so.10"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What was made.  size: bytes.  saved: those of tables for debuggers, which are left out.
    absent: a line for each library that this machine lacks.  glibc: the version that it needs."""

    output: Path
    size: int
    saved: int
    absent: tuple[str, ...]
    glibc: tuple[int, int]


def make_bundle(program: str, output: str, files: Sequence[str], warn: Warn | None) -> Bundle:
    """Bundle a program and its files; output: a folder that is new or empty, or an archive.

    The output appears whole or not at all.
    """
    target = Path(output)
    kind = _archive_kind(target)
    _check_output(target, kind)
    name = Path(program).stem
    source = read_source(program)
    carried = find_files(program, files, {name, FOLDER})
    _refuse_output_inside(target, files)
    owned = compile_source(source, target, warn)
    with unfinished_folder(target) as scratch:
        tree = scratch / "tree" / (target.name[: -len(kind)] if kind else name)
        tree.mkdir(parents=True)
        copied = copy_libraries(tree / FOLDER) if owned.uses_tensors else None
        gmp = _gmp(tree / FOLDER)
        executable = tree / name
        site = copied.site if copied else None
        build_executable(owned, executable, bundle=BundledLibraries(site, gmp))
        absent = dict.fromkeys(copied.absent if copied else ())
        for what, library in {"PCRE2": LIBRARIES["PCRE2"], "zlib": GZIP}.items():
            if _opens(executable, library):
                absent.update(dict.fromkeys(_copy_opened(what, library, tree / FOLDER)))
        glibc = _finish_executable(executable, copied)
        _copy_files(carried, tree)
        _let_everyone_read(tree, executable)
        size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file())
        packed = pack(tree, name, scratch / "archive", kind) if kind else tree
        packed.replace(target)
    return Bundle(target, size, copied.saved if copied else 0, tuple(absent), glibc)


# The output.


def _archive_kind(output: Path) -> str:
    """The ending of an archive's name; "" for a folder."""
    name = output.name
    return next((ending for ending in ARCHIVES if name.endswith(ending) and name != ending), "")


def _check_output(output: Path, kind: str) -> None:
    """An error, before the work begins, if the bundle cannot be written there."""
    if not kind:
        check_folder(output)
    elif output.is_dir():
        raise MissingInput(f"cannot write {output}: it is a folder")
    else:
        check_destination(output)
        check_parent(output)


def _refuse_output_inside(output: Path, files: Sequence[str]) -> None:
    """Refuse a bundle that would contain itself, or replace what it is made from."""
    real = Path(os.path.realpath(output))
    for name in files:
        if real.is_relative_to(os.path.realpath(name)):
            raise UsageFault(f"cannot write {output}: it is in {name}, which --files names",
                             hint="name another folder")


# The contents.


def _gmp(folder: Path) -> tuple[str, ...]:
    """How to link GMP: statically, or to a copy in the folder where only that is installed."""
    if static := static_gmp():
        return (str(static),)
    require_own_machine("a bundle with GMP's shared library")
    place = loaded_from(_GMP)
    if place is None:
        raise UsageFault("no GMP is found", hint="sudo apt install libgmp-dev")
    folder.mkdir(exist_ok=True)
    for name, path in closure({_GMP: place}).items():
        shutil.copyfile(path, folder / name)
    search = ("-Xlinker", "--disable-new-dtags", "-Xlinker", "-rpath")
    return (str(folder / _GMP), *search, "-Xlinker", f"$ORIGIN/{FOLDER}")


def _opens(executable: Path, library: Library) -> bool:
    """Whether the program can open a library by its name: for regular expressions, or gzip."""
    return library.names[0].encode() in executable.read_bytes()


def _copy_opened(what: str, library: Library, folder: Path) -> list[str]:
    """Copy a library to where `runtime/system/library.c` looks; a line if it is not installed."""
    installed, absent = opened_by_name({what: library})
    for name, path in closure(installed).items():
        folder.mkdir(exist_ok=True)
        shutil.copyfile(path, folder / name)
    return absent


def _finish_executable(path: Path, copied: Copied | None) -> tuple[int, int]:
    """Write the version of glibc that the program needs into it, and return that."""
    executable = Elf.read(path)
    needed = max(executable.needed_glibc(), copied.glibc if copied else (0, 0))
    executable.tolerate_old_glibc(_OLDEST_GLIBC, is_defined)
    at = executable.data.find(_MARK)
    assert at >= 0, path
    text = f"{needed[0]}.{needed[1]}".encode().ljust(_ROOM, b"\0")
    executable.data[at + len(_MARK) : at + len(_MARK) + _ROOM] = text
    finished = path.with_name(f"{path.name}.finished")
    executable.write(finished)
    finished.replace(path)
    return needed


def _copy_files(files: Mapping[str, Path], tree: Path) -> None:
    for place, path in files.items():
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, tree / place)
        (tree / place).chmod(EVERYONE_RUNS if os.access(path, os.X_OK) else EVERYONE_READS)


def _let_everyone_read(tree: Path, executable: Path) -> None:
    """Permit every user to read the folders, and to run the program, whatever the umask is."""
    executable.chmod(EVERYONE_RUNS)
    for folder in (tree, *(path for path in tree.rglob("*") if path.is_dir())):
        folder.chmod(EVERYONE_RUNS)
    for path in (tree / FOLDER).rglob("*"):
        if path.is_file():
            path.chmod(EVERYONE_READS)
