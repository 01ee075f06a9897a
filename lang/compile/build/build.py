"""From emitted C to an executable: the only step that writes files and runs other programs.

    build_executable(owned ANF, Path("hello"))  =>  ./hello, which needs no Python
"""

import os
from pathlib import Path

from lambent.lang.compile.build.library_files import LibraryFile, library_objects
from lambent.lang.compile.build.toolchain import (
    BundledLibraries,
    Options,
    include_flags,
    link_flags,
    run_compiler,
)
from lambent.lang.compile.c.emit_c import emit_c, program_text
from lambent.lang.compile.ir.anf import Anf
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
            text = program_text(anf, [file.constants for file in files if file.constants])
    else:
        with timed("emit_c"):
            text = emit_c(whole_program(anf), lines=options.debug)
    with scratch_folder() as folder:
        source, target = folder / "program.c", folder / "program"
        source.write_text(text, encoding="utf-8", errors="surrogateescape")
        flags = [*options.program_flags, *include_flags()]
        objects = [file.path for file in files]
        with timed("runtime's C"):
            libraries = link_flags(options, tensors=anf.uses_tensors, bundle=bundle)
        program_file = _compiled_apart(source, flags) if is_running() else source
        with timed("linker"):
            run_compiler([*flags, program_file, "-o", target, *objects, *libraries], folder)
        move_to_destination(target, output)


def _compiled_apart(source: Path, flags: list[str]) -> Path:
    """The object file of a program's C: usually one command compiles and links, in less time, but
    tells nobody how long each took."""
    made = source.with_suffix(".o")
    with timed("C compiler"):
        run_compiler([*flags, "-c", source, "-o", made], source.parent)
    return made
