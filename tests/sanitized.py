"""Compiled programs under the address and undefined-behaviour sanitizers, many in one binary, with
failures on demand: `injection_driver.c` is their main."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from lambent.lang.compile.emit_c import emit_c
from lambent.lang.compile.toolchain import Options, compile_objects, link_flags, run_compiler
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source

DRIVER = Path(__file__).parent / "injection_driver.c"
OPTIONS = Options(optimize=False, sanitize=True, inject=True, strict=True)
# LibTorch keeps what it allocates once for the whole process, which is none of ours.
ENVIRONMENT = {
    **os.environ,
    "LAMBENT_CHECK_LEAKS": "1",
    "LAMBENT_ALLOC": "malloc",
    "OMP_NUM_THREADS": "1",
    "ASAN_OPTIONS": "detect_leaks=0",
}


def build(programs: Mapping[str, str], folder: Path) -> Path:
    """One sanitized binary that holds the programs, given by C names and texts."""
    rows, tensors = [], False
    for name, text in programs.items():
        anf = compile_source(Source(f"{name}.lisp", text))
        tensors = tensors or anf.uses_tensors
        (folder / f"{name}.c").write_text(emit_c(anf, program=name))
        rows.append(f'    {{"{name}", &{name}}},')
    (folder / "driver.c").write_text(
        "\n".join(
            (
                f'#include "{DRIVER}"',
                *(f"extern const rt_program {name};" for name in programs),
                "const test_program test_programs[] = {",
                *rows,
                "    {NULL, NULL}};\n",
            )
        )
    )
    objects = compile_objects(sorted(folder.glob("*.c")), folder, OPTIONS)
    binary = folder / "binary"
    libraries = link_flags(OPTIONS, tensors=tensors)
    run_compiler([*OPTIONS.flags, *objects, "-o", binary, *libraries])
    return binary


def finish(command: list[str], folder: Path) -> tuple[str, str, int]:
    """Run to the end: stdout, stderr, status."""
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=300
    )
    return done.stdout, done.stderr, done.returncode
