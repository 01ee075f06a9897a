"""The cache of compiled library functions: object files.

    functions-1f2e.../4f09ab1c-8d03e5f2.o   those that a program needs of one library file

The same program becomes the same executable, whatever other programs have left in the cache: which
functions are compiled together follows from the program alone, and they are always written in the
same order (emit_c.py).

The folder's name is a hash of the compiler, its flags and the runtime's headers.  A file's name is
a hash of the C names of its functions, which are hashes of their text (library_code.py), and then
the check sum of the file: a crash of the machine can leave truncated files, and such with zeros.
"""

import os
import time
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from lambent.lang.compile.build.library_code import SplitProgram
from lambent.lang.compile.build.toolchain import (
    Options,
    compile_objects,
    compiler_identity,
    headers,
)
from lambent.lang.system.cache import close_file, ensure_folder, key_of, writable_folder
from lambent.lang.system.cache_path import report_damage
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.scratch import scratch_folder

_MOST_FILES = 5000  # beyond that, the half that was used longest ago is deleted
_USED_LATELY = 3600  # seconds: a use within them is not noted again, and the file may be linked


@dataclass(frozen=True, slots=True)
class KeptFile:
    """An object file.  constants: the C name of its table of constants, or None."""

    path: Path
    constants: str | None


@dataclass(frozen=True, slots=True)
class _Part:
    """The functions that are compiled together, by their ANF names, and the key of their file."""

    names: tuple[str, ...]
    key: str

    @property
    def constants(self) -> str:
        """The C name of the table of their constants, if they have any."""
        return f"literals_{self.key}"


def library_objects(program: SplitProgram, options: Options) -> list[KeptFile]:
    """The files that have the library functions of a program; missing ones are compiled."""
    parts = _parts(program)
    if not parts:
        return []
    folder = _folder(options)
    found = _found(folder, {part.key for part in parts})
    missing = [part for part in parts if part.key not in found]
    if missing:
        found |= _compiled(program, missing, folder, options)
    return [
        KeptFile(found[part.key], part.constants if _has_constants(found[part.key]) else None)
        for part in parts
    ]


def _parts(program: SplitProgram) -> list[_Part]:
    """The library functions of a program, by the files of the library that define them."""
    by_file: dict[str, list[str]] = {}
    for function in program.functions.values():
        by_file.setdefault(function.file, []).append(function.name)
    parts = []
    for _, names in sorted(by_file.items()):
        names.sort(key=lambda name: program.functions[name].symbol)
        parts.append(_Part(tuple(names), key_of(program.functions[n].symbol for n in names)))
    return parts


def _folder(options: Options) -> Path:
    contents = [path.read_bytes() for path in headers()]
    key = key_of([compiler_identity(), *options.program_flags, *contents])
    return writable_folder() / f"functions-{key}"


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


def _compiled(
    program: SplitProgram, parts: Sequence[_Part], folder: Path, options: Options
) -> Mapping[str, Path]:
    """Compile functions, and keep them: the file of each part, by its key."""
    ensure_folder(folder)
    found: dict[str, Path] = {}
    with scratch_folder() as scratch:
        sources = []
        for part in parts:
            text = program.library_text(part.names, part.constants)
            source = scratch / f"{part.key}.c"  # a name that the object file holds
            source.write_text(text, encoding="utf-8", errors="surrogateescape")
            sources.append(source)
        objects = compile_objects(sources, scratch, options, options.program_flags)
        for part, source, made in zip(parts, sources, objects, strict=True):
            text = source.read_text(encoding="utf-8", errors="surrogateescape")
            has_constants = f"const rt_literals {part.constants} =" in text
            close_file(made)
            target = folder / _name(part.key, made.read_bytes(), has_constants)
            found[part.key] = made.replace(target)
    return found
