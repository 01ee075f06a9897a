"""The library's C, compiled once for all programs: an object file for each file of the library.

    library-1f2e.../4f09ab1c-8d03e5f2.o     the functions of stdlib/language/list.lisp
    library-1f2e.../5d1c0a2e77              4f09ab1c-8d03e5f2.o

A program is linked with the files that have a function which it reaches; the linker drops the
others in them.  The object files are those of `object_files.py`; the small file beside one says
that its C is the one which follows from the file's unit (`units/library.py`) and its place in the
library.

For debugging and for tests, the C of a program has the functions that it reaches, instead.
"""

from collections.abc import Sequence
from pathlib import Path

from lambent.lang.compile.build.object_files import (
    ObjectText,
    is_object_name,
    is_undamaged,
    object_files,
    object_folder,
)
from lambent.lang.compile.build.toolchain import Options
from lambent.lang.compile.c.emit_c import separate_text
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
from lambent.lang.system.cache import close_file, ensure_folder, key_of
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.scratch import alone_in

_OPTIONS = Options()  # the library is always optimized
_MANY = 10  # whose compilation takes seconds


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
    text = separate_text(tables, names, source.constants)
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


def _folder() -> Path:
    return object_folder("library", _OPTIONS.flags)


def _found(folder: Path, source: _Source) -> Path | None:
    """The object file of a source, if it has been compiled and is not damaged."""
    try:
        name = (folder / source.key).read_bytes()
    except OSError:
        return None
    path = folder / name.decode("ascii", "replace")
    return path if is_object_name(name) and is_undamaged(path) else None


def _compiled(missing: Sequence[_Source], folder: Path) -> dict[str, Path | None]:
    """Compile files of the library, and keep them: the object file of each.

    Where the C is what it was before a change of the compiler, its object file is still there.
    """
    if len(missing) >= _MANY:
        say(f"compiling the C of {len(missing)} files of the library (once)")
    texts = [ObjectText(text, _WITH_CONSTANTS * has) for text, has in map(_text, missing)]
    paths = object_files(texts, folder, _OPTIONS.flags)
    for source, path in zip(missing, paths, strict=True):
        (folder / source.key).write_text(path.name)
        close_file(folder / source.key)
    return dict(zip([source.file for source in missing], paths, strict=True))
