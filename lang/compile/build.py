"""From emitted C to an executable: the one step that touches the disk and runs other programs.

    build_executable(owned ANF, Path("hello"))  =>  ./hello, which needs no Python
"""

import os
import tempfile
from pathlib import Path

from lambent.lang.compile.anf import Anf
from lambent.lang.compile.emit_c import emit_c
from lambent.lang.compile.toolchain import (
    Options,
    include_flags,
    link_flags,
    run_compiler,
)
from lambent.lang.errors import MissingInput


def build_executable(anf: Anf, output: Path, options: Options | None = None) -> None:
    """Compile an owned program to an executable.

    The file appears whole or not at all, also while an old one of that name is running.
    """
    options = options or Options()
    text = emit_c(anf, lines=options.debug)
    try:
        if output.is_dir():
            raise MissingInput(f"cannot write {output}: Is a directory")
        if output.exists() and not output.is_file():
            # A device, such as /dev/null: to put a file in its place would take it from everyone.
            raise MissingInput(f"cannot write {output}: it is not a regular file")
        with tempfile.TemporaryDirectory(prefix=".lambent-", dir=output.parent) as folder:
            source, target = Path(folder) / "program.c", Path(folder) / "program"
            source.write_text(text, encoding="utf-8")
            flags = [*options.flags, *include_flags()]
            libraries = link_flags(options, tensors=anf.uses_tensors)
            run_compiler([*flags, source, "-o", target, *libraries])
            target.replace(output)
    except OSError as error:
        raise MissingInput(f"cannot write {output}: {os.strerror(error.errno or 0)}") from None
