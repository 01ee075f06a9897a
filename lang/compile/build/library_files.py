"""The C of the library, compiled once for all programs: an object file for each file of the library.

    library-1f2e.../list-4f09ab1c-8d03e5f2.o     the functions of stdlib/language/list.lisp

A program is linked with the files that have a function which it reaches; the linker drops the
others in them.  The folder's name is a hash of the compiler, its flags and the runtime's headers.
A file's name has the key of its unit (`units/library.py`), and the check sum of the file: a crash
of the machine can leave truncated files, and such with zeros.

For debugging and for tests, the C of a program has the functions that it reaches, instead.
"""

import os
import time
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from lambent.lang.compile.build.toolchain import (
    Options,
    compile_objects,
    compiler_identity,
    headers,
)
from lambent.lang.compile.c.emit_c import library_file_text
from lambent.lang.compile.c.emit_tables import Tables
from lambent.lang.compile.ir.anf import Anf, Function
from lambent.lang.compile.units.library import (
    body_of,
    entries_of_file,
    entry_of,
    needed_functions,
    unit_key,
)
from lambent.lang.compile.units.library_units import library_units
from lambent.lang.deep import call_deep
from lambent.lang.system.cache import close_file, ensure_folder, key_of, writable_folder
from lambent.lang.system.cache_path import report_damage
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.scratch import scratch_folder

_OPTIONS = Options()  # the library is always optimized
_MOST_FILES = 5000  # beyond that, the half that was used longest ago is deleted
_USED_LATELY = 3600  # seconds: a use within them is not noted again, and the file may be linked


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """An object file.  constants: the C name of its table of constants, or None."""

    path: Path
    constants: str | None


@dataclass(frozen=True, slots=True)
class _Source:
    """A file of the library that a program needs, and the key of its object file."""

    file: str
    key: str
    tensors: bool

    @property
    def constants(self) -> str:
        """The C name of the table of their constants, if they have any."""
        return f"literals_{self.key}"


def library_objects(program: Anf) -> list[LibraryFile]:
    """The object files with the library functions of a program; missing ones are compiled."""
    needed = needed_functions(program.externals, program.uses_tensors)
    sources = [_source(file, program.uses_tensors) for file in needed.files]
    if not sources:
        return []
    folder = _folder()
    found = _found(folder, {source.key for source in sources})
    missing = [source for source in sources if source.key not in found]
    if missing:
        found |= _compiled(missing, folder)
    return [
        LibraryFile(found[s.key], s.constants if _has_constants(found[s.key]) else None)
        for s in sources
    ]


def _source(file: str, tensors: bool) -> _Source:
    index = next(i for i, files in enumerate(library_units().files) if file in files)
    return _Source(file, key_of([file, unit_key(index, tensors)]), tensors)


# The C.


def _text(names: Sequence[str], literals: str, tensors: bool) -> tuple[str, bool]:
    functions = _with_callees(names, tensors)
    symbols = {f.name: entry_of(f.name, tensors).symbol for f in functions if _has_file(f, tensors)}
    tables = Tables.of_library(functions, symbols, tensors=tensors)
    text = library_file_text(tables, sorted(names), literals)
    return text, f"const rt_literals {literals} =" in text


def _has_file(function: Function, tensors: bool) -> bool:
    return function.interface is not None or bool(entry_of(function.name, tensors).file)


def _with_callees(names: Sequence[str], tensors: bool) -> list[Function]:
    """Some functions with those that they call; a callee without a file of its own, whose C stands
    where it is called, with its callees."""
    found = {name: body_of(name, tensors) for name in names}
    waiting = list(names)
    while waiting:
        for name in entry_of(waiting.pop(), tensors).uses:
            if name not in found:
                found[name] = body_of(name, tensors)
                if not entry_of(name, tensors).file:
                    waiting.append(name)
    return list(found.values())


# The object files.


def _folder() -> Path:
    contents = [path.read_bytes() for path in headers()]
    key = key_of([compiler_identity(), *_OPTIONS.program_flags, *contents])
    return writable_folder() / f"library-{key}"


# A file's name: its key, its check sum, and whether it has a table of constants.


def _name(key: str, data: bytes, has_constants: bool) -> str:
    return f"{key}-{crc32(data):08x}{'-constants' * has_constants}.o"


def _has_constants(path: Path) -> bool:
    return path.stem.endswith("-constants")


def _found(folder: Path, keys: Set[str]) -> dict[str, Path]:
    """The undamaged files with these keys."""
    found: dict[str, Path] = {}
    with suppress(OSError):
        paths = list(folder.iterdir())
        if len(paths) > _MOST_FILES:
            _drop_old_ones(paths)
        for path in paths:
            key = path.stem.partition("-")[0]
            if key in keys and _is_undamaged(path, key):
                found[key] = path
    return found


def _is_undamaged(path: Path, key: str) -> bool:
    """Whether a file is as it was written.  A damaged one is deleted, which is reported."""
    try:
        data = path.read_bytes()
        if path.name == _name(key, data, _has_constants(path)):
            if time.time() - path.stat().st_mtime > _USED_LATELY:
                os.utime(path)
            return True
        report_damage(str(path))
        path.unlink()
    except OSError:
        pass
    return False


def _drop_old_ones(paths: Sequence[Path]) -> None:
    """Delete the half of the files that was used longest ago, but none that a process may link."""
    times: dict[Path, float] = {}
    for path in paths:
        with suppress(OSError):
            times[path] = path.stat().st_mtime
    oldest = sorted(times, key=lambda path: (times[path], path.name))[: len(times) // 2]
    for path in oldest:
        with suppress(OSError):
            if time.time() - times[path] > _USED_LATELY:
                path.unlink()


def _compiled(missing: Sequence[_Source], folder: Path) -> Mapping[str, Path]:
    """Compile files of the library, and keep them: the object file of each, by its key."""
    ensure_folder(folder)
    found: dict[str, Path] = {}
    with scratch_folder() as scratch:
        paths, constants = [], []
        for source in missing:
            names = entries_of_file(source.file, source.tensors)
            text, has_constants = call_deep(_text, names, source.constants, source.tensors)
            path = scratch / f"{source.key}.c"  # a name that the object file holds
            path.write_text(text, encoding="utf-8", errors="surrogateescape")
            paths.append(path)
            constants.append(has_constants)
        objects = compile_objects(paths, scratch, _OPTIONS, _OPTIONS.program_flags)
        for source, made, has_constants in zip(missing, objects, constants, strict=True):
            close_file(made)
            target = folder / _name(source.key, made.read_bytes(), has_constants)
            found[source.key] = made.replace(target)
    return found

