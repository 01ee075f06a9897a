"""The cache of compiled library functions: object files, and lists of the functions in them.

    library-1f2e.../4f09ab.o      functions that were compiled together
    library-1f2e.../4f09ab.names  their C names, and whether they have constants

The folder's name is a hash of the compiler, its flags and the runtime's headers; the functions'
names are hashes of their text (library_code.py).
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lambent.lang.compile.build.library_code import SplitProgram
from lambent.lang.compile.build.toolchain import (
    Options,
    compiler_identity,
    headers,
    include_flags,
    run_compiler,
)
from lambent.lang.system.cache import close_file, ensure_folder, key_of, writable_folder
from lambent.lang.system.dataclass import dataclass
from lambent.lang.system.scratch import scratch_folder

_MOST_FILES = 400  # more are all deleted, and functions are compiled again when needed
_SECONDS_TO_LINK = (
    3600  # from writing a file to writing its list, and from reading the list to linking
)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """An object file.  constants: the C name of its table of constants, or None."""

    path: Path
    constants: str | None


def library_objects(program: SplitProgram, options: Options) -> list[KeptFile]:
    """The files that have the library functions of a program; missing ones are compiled."""
    folder = _folder(options)
    kept = _kept(folder)
    missing = [
        function.name for function in program.functions.values() if function.symbol not in kept
    ]
    if missing:
        made = _compiled(program, missing, folder, options)
        kept |= {program.functions[name].symbol: made for name in missing}
    files = [kept[function.symbol] for function in program.functions.values()]
    return list(dict.fromkeys(files))


def _folder(options: Options) -> Path:
    contents = [path.read_bytes() for path in headers()]
    key = key_of([compiler_identity(), *options.program_flags, *contents])
    return writable_folder() / f"library-{key}"


def _kept(folder: Path) -> dict[str, KeptFile]:
    """The files of the cached functions, by the C names of these."""
    found: dict[str, KeptFile] = {}
    lists = sorted(folder.glob("*.names"))
    if len(lists) > _MOST_FILES:
        _forget(folder, lists)
        return found
    for path in lists:
        file = path.with_suffix(".o")
        with suppress(OSError, ValueError):
            size, constants, *names = path.read_text(encoding="ascii").split("\n")
            # Two files that were compiled at once may have functions in common: use only one.
            if file.stat().st_size == int(size) and found.keys().isdisjoint(names):
                made = KeptFile(file, constants or None)
                found.update(dict.fromkeys(names, made))
    return found


def _forget(folder: Path, lists: Sequence[Path]) -> None:
    """Delete all lists, so that no process finds these functions any more.

    Other processes may be about to link the files, so old files are deleted at the next time.
    """
    listed = {path.stem for path in lists}
    for path in folder.glob("*.o"):
        with suppress(OSError):
            if path.stem not in listed and time.time() - path.stat().st_mtime > _SECONDS_TO_LINK:
                path.unlink()
    for path in lists:
        with suppress(OSError):
            path.unlink()


def _compiled(
    program: SplitProgram, missing: Sequence[str], folder: Path, options: Options
) -> KeptFile:
    """Compile functions together, and keep them.

    The list of names is written last, so that no process finds an incomplete file.
    """
    symbols = sorted(program.functions[name].symbol for name in missing)
    key = key_of(symbols)
    constants = f"literals_{key}"
    text = program.library_text(missing, constants)
    has_constants = f"const rt_literals {constants} =" in text
    ensure_folder(folder)
    target = folder / f"{key}.o"
    with scratch_folder() as scratch:
        source, made = scratch / "library.c", scratch / "library.o"
        source.write_text(text, encoding="utf-8", errors="surrogateescape")
        flags = [*options.program_flags, *include_flags()]
        run_compiler([*flags, "-c", source, "-o", made], scratch)
        lines = [str(made.stat().st_size), constants if has_constants else "", *symbols]
        close_file(made)
        made.replace(target)
        names = scratch / "library.names"
        names.write_text("\n".join(lines), encoding="ascii")
        close_file(names)
        names.replace(target.with_suffix(".names"))
    return KeptFile(target, constants if has_constants else None)
