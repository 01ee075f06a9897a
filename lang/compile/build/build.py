"""From emitted C to an executable: the only step that writes files and runs other programs.

    build_executable(owned ANF, Path("hello"))  =>  ./hello, which needs no Python
"""

import os
from collections.abc import Sequence
from pathlib import Path

from lambent.lang.compile.build.library_files import LibraryFile, library_objects
from lambent.lang.compile.build.object_files import program_objects
from lambent.lang.compile.build.toolchain import (
    BundledLibraries,
    Options,
    include_flags,
    link_flags,
    run_compiler,
)
from lambent.lang.compile.c.emit_c import emit_c
from lambent.lang.compile.ir.anf import Anf
from lambent.lang.compile.units.program_files import program_texts
from lambent.lang.compile.units.whole_program import whole_program
from lambent.lang.errors import UsageFault
from lambent.lang.system.cache import cache_folder
from lambent.lang.system.outputs import check_destination, move_to_destination
from lambent.lang.system.scratch import scratch_folder
from lambent.lang.system.timing import is_running, timed


def build_executable(
    anf: Anf,
    output: Path,
    options: Options | None = None,
    bundle: BundledLibraries | None = None,
) -> None:
    """Compile an owned program to an executable, with compiled library code from the cache.

    The file appears whole or not at all, also while an old one of that name is running.
    bundle: the libraries that it finds beside itself, if it does not use those of this machine.
    """
    options = options or Options()
    check_destination(output)
    try:
        _compile(anf, output, options, bundle)
    except OSError as error:  # such as a full disk
        raise UsageFault(
            f"cannot compile: {error.filename or cache_folder()}: {os.strerror(error.errno or 0)}",
            hint="LAMBENT_CACHE names another folder for intermediate files",
        ) from None


def _compile(
    anf: Anf, output: Path, options: Options, bundle: BundledLibraries | None
) -> None:
    files: list[LibraryFile] = []
    if options.is_usual:
        with timed("library's C"):
            files = library_objects(anf)
        with timed("emit_c"):
            texts = program_texts(anf, [file.constants for file in files if file.constants])
    else:
        with timed("emit_c"):
            texts = [emit_c(whole_program(anf), lines=options.debug)]
    with scratch_folder() as folder:
        target = folder / "program"
        flags = [*options.program_flags, *include_flags()]
        objects = [
            *_program_files(texts, options, flags, folder), *[file.path for file in files],
        ]
        with timed("runtime's C"):
            libraries = link_flags(options, tensors=anf.uses_tensors, bundle=bundle)
        with timed("linker"):
            run_compiler([*flags, *objects, "-o", target, *libraries], folder)
        move_to_destination(target, output)


def _program_files(
    texts: Sequence[str], options: Options, flags: list[str], folder: Path
) -> list[Path]:
    """The program's C, or, where it is in several files, their object files from the cache."""
    if len(texts) > 1:
        with timed("C compiler"):
            return program_objects(texts, options)
    source = folder / "program.c"
    source.write_text(texts[0], encoding="utf-8", errors="surrogateescape")
    return [_compiled_apart(source, flags) if is_running() else source]


def _compiled_apart(source: Path, flags: list[str]) -> Path:
    """The object file of a program's C: usually one command compiles and links, in less time, but
    tells nobody how long each took."""
    made = source.with_suffix(".o")
    with timed("C compiler"):
        run_compiler([*flags, "-c", source, "-o", made], source.parent)
    return made
