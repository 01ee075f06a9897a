"""From emitted C to an executable: the one step that touches the disk and runs other programs.

    build_executable(owned ANF, Path("hello"))  =>  ./hello, which needs no Python
"""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lambent.lang.cache import key_of, writable_folder
from lambent.lang.compile.anf import Anf
from lambent.lang.compile.emit_c import emit_c
from lambent.lang.compile.names import c_string
from lambent.lang.compile.toolchain import (
    Options,
    compile_objects,
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


def build_test_binary(programs: Mapping[str, Anf], options: Options | None = None) -> Path:
    """One executable that holds many programs; its first argument names the one to run.

    It is kept in the cache for as long as neither the programs nor the runtime change.
    """
    options = options or Options()
    texts = {
        f"program_{index}": emit_c(anf, program=f"program_{index}")
        for index, anf in enumerate(programs.values())
    }
    tensors = any(anf.uses_tensors for anf in programs.values())
    libraries = link_flags(options, tensors=tensors)
    driver = _driver(dict(zip(programs, texts, strict=True)))
    key = key_of([*options.flags, *libraries, driver, *texts.values()])
    target = writable_folder() / "tests" / key
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as name:
            folder = Path(name)
            for stem, text in {**texts, "driver": driver}.items():
                (folder / f"{stem}.c").write_text(text, encoding="utf-8")
            objects = compile_objects(sorted(folder.glob("*.c")), folder, options)
            binary = folder / "binary"
            run_compiler([*options.flags, *objects, "-o", binary, *libraries])
            binary.replace(target)
    return target


def _driver(symbols: Mapping[str, str]) -> str:
    """The `main` of a test binary."""
    names = [f"    {{{c_string(name)}, &{symbol}}}," for name, symbol in symbols.items()]
    declared = [f"extern const rt_program {symbol};" for symbol in symbols.values()]
    return "\n".join(
        (
            '#include "rt.h"',
            *declared,
            "static const struct { const char *name; const rt_program *program; } programs[] = {",
            *names,
            "};",
            "int main(int argc, char **argv)",
            "{",
            "    for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)",
            "        if (strcmp(argv[1], programs[i].name) == 0)",
            "            return rt_main(argc - 1, argv + 1, programs[i].program);",
            "    return 64;",
            "}",
            "",
        )
    )
