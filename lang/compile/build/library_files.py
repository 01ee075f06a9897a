"""The library's C, compiled once for all programs: an object file for each file of the library.

    library-1f2e.../4f09ab1c-8d03e5f2.o     the functions of stdlib/language/list.lisp
    library-1f2e.../5d1c0a2e77              4f09ab1c-8d03e5f2.o

A program is linked with the files that have a function which it reaches; the linker drops the
others in them.  The folder's name is a hash of the compiler, its flags and the runtime's headers.
An object file's name is a hash of its C, and then the check sum of the file: a crash of the machine
can leave truncated files, and such with zeros.  The small file beside it says that this is the C
which follows from the file's unit (`units/library.py`) and its place in the library.

For debugging and for tests, the C of a program has the functions that it reaches, instead.
"""

import os
import re
import time
from collections.abc import Sequence
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
    unit_of_file,
)
from lambent.lang.compile.units.library_units import library_units
from lambent.lang.deep import call_deep
from lambent.lang.system.builds import say
from lambent.lang.system.cache import close_file, ensure_folder, key_of, writable_folder
from lambent.lang.system.cache_path import report_damage
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.scratch import alone_in, scratch_folder

_OPTIONS = Options()  # the library is always optimized
_MOST_FILES = 5000  # beyond that, the half that was used longest ago is deleted
_MANY = 10  # whose compilation takes seconds
_USED_LATELY = 3600  # seconds: a use within them is not noted again, and the file may be linked


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """An object file.  constants: the C name of its table of constants, or None."""

    path: Path
    constants: str | None


@dataclass(frozen=True, slots=True)
class _Source:
    """A file of the library that a program needs.  key: of what its C follows from."""

    file: str
    key: str
    tensors: bool

    @property
    def constants(self) -> str:
        """The C name of the table of its constants, if it has any."""
        return f"literals_{key_of([self.file])}"


def library_objects(program: Anf) -> list[LibraryFile]:
    """The object files with the library functions of a program; missing ones are compiled."""
    needed = needed_functions(program.externals, program.uses_tensors)
    return _objects([_source(file, program.uses_tensors) for file in needed.files])


def compile_library_files(tensors: bool) -> list[LibraryFile]:
    """The object files of the whole library; missing ones are compiled.  Its units are compiled."""
    files = [file for group in library_units().files for file in group]
    return _objects([_source(file, tensors) for file in files if entries_of_file(file, tensors)])


def _objects(sources: Sequence[_Source]) -> list[LibraryFile]:
    if not sources:
        return []
    folder = ensure_folder(_folder())
    found = {source.file: _found(folder, source) for source in sources}
    if None in found.values():
        with alone_in(folder):
            found = {source.file: _found(folder, source) for source in sources}
            found |= _compiled([s for s in sources if found[s.file] is None], folder)
    files: list[LibraryFile] = []
    for source in sources:
        path = found[source.file]
        assert path is not None, source
        has_constants = path.stem.endswith(_WITH_CONSTANTS)
        files.append(LibraryFile(path, source.constants if has_constants else None))
    return files


def _source(file: str, tensors: bool) -> _Source:
    return _Source(file, key_of([file, unit_key(unit_of_file(file), tensors)]), tensors)


# The C.


def _text(source: _Source) -> tuple[str, bool]:
    """The C of a file of the library, and whether it has constants."""
    return call_deep(_written, source)


def _written(source: _Source) -> tuple[str, bool]:
    tensors, names = source.tensors, entries_of_file(source.file, source.tensors)
    functions = _with_callees(names, tensors)
    symbols = {f.name: entry_of(f.name, tensors).symbol for f in functions if _has_file(f, tensors)}
    tables = Tables.of_library(functions, symbols, tensors=tensors)
    text = library_file_text(tables, names, source.constants)
    return text, f"const rt_literals {source.constants} =" in text


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


_WITH_CONSTANTS = "-constants"
_NAME = re.compile(rb"[0-9a-f]+-[0-9a-f]{8}(-constants)?\.o")


def _folder() -> Path:
    contents = [path.read_bytes() for path in headers()]
    key = key_of([compiler_identity(), *_OPTIONS.flags, *contents])
    return writable_folder() / f"library-{key}"


def _found(folder: Path, source: _Source) -> Path | None:
    """The object file of a source, if it has been compiled and is not damaged."""
    try:
        name = (folder / source.key).read_bytes()
    except OSError:
        return None
    path = folder / name.decode("ascii", "replace")
    return path if _NAME.fullmatch(name) and _is_undamaged(path) else None


def _is_undamaged(path: Path) -> bool:
    """Whether a file is as it was written.  A damaged one is deleted, which is reported."""
    try:
        data = path.read_bytes()
        if path.stem.split("-")[1:2] == [f"{crc32(data):08x}"]:
            if time.time() - path.stat().st_mtime > _USED_LATELY:
                os.utime(path)
            return True
        report_damage(str(path))
        path.unlink()
    except OSError:
        pass
    return False


def _compiled(missing: Sequence[_Source], folder: Path) -> dict[str, Path | None]:
    """Compile files of the library, and keep them: the object file of each.

    Where the C is what it was before a change of the compiler, its object file is still there.
    """
    drop_old_files(folder)
    if len(missing) >= _MANY:
        say(f"compiling the C of {len(missing)} files of the library (once)")
    texts = {source: _text(source) for source in missing}
    keys = {source: key_of([text]) for source, (text, _) in texts.items()}
    found = {source: _with_key(folder, keys[source]) for source in missing}
    with scratch_folder() as scratch:
        new = [source for source in missing if found[source] is None]
        paths = [scratch / f"{keys[source]}.c" for source in new]
        for source, path in zip(new, paths, strict=True):
            path.write_text(texts[source][0], encoding="utf-8", errors="surrogateescape")
        objects = compile_objects(paths, scratch, _OPTIONS)
        for source, made in zip(new, objects, strict=True):
            close_file(made)
            ending = _WITH_CONSTANTS * texts[source][1]
            name = f"{keys[source]}-{crc32(made.read_bytes()):08x}{ending}.o"
            found[source] = made.replace(folder / name)
    for source, path_found in found.items():
        assert path_found is not None, source
        (folder / source.key).write_text(path_found.name)
        close_file(folder / source.key)
    return {source.file: path for source, path in found.items()}


def _with_key(folder: Path, key: str) -> Path | None:
    """The undamaged object file that was made of a text."""
    return next((path for path in folder.glob(f"{key}-*.o") if _is_undamaged(path)), None)


def drop_old_files(folder: Path) -> None:
    """Delete the half of many files that was used longest ago, but none that may be linked now."""
    paths = list(folder.iterdir())
    if len(paths) <= _MOST_FILES:
        return
    times: dict[Path, float] = {}
    for path in paths:
        with suppress(OSError):
            times[path] = path.stat().st_mtime
    oldest = sorted(times, key=lambda path: (times[path], path.name))[: len(times) // 2]
    for path in oldest:
        with suppress(OSError):
            if time.time() - times[path] > _USED_LATELY:
                path.unlink()
