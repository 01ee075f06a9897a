"""Many compiled programs in one binary, as tests want them: mostly under the address and
undefined-behaviour sanitizers, and with failures on demand.

`injection_driver.c` is their main: its first argument names the program to run.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from resource import RLIMIT_AS, setrlimit

from lambent.ctorch import library_path
from lambent.lang.compile.build.toolchain import Options, compile_objects, link_flags, run_compiler
from lambent.lang.compile.c.c_constants import c_string
from lambent.lang.compile.c.check_c import check_c
from lambent.lang.compile.c.emit_c import emit_c
from lambent.lang.compile.ir.anf import Anf
from lambent.lang.compile.units.whole_program import whole_program
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source

DRIVER = Path(__file__).parent / "injection_driver.c"
SANITIZED = Options(optimize=False, sanitize=True, inject=True, strict=True)
CHECKED = {**os.environ, "LAMBENT_CHECK_LEAKS": "1", "OMP_NUM_THREADS": "1"}
# LibTorch allocates some objects once for the whole process and never frees them.
ENVIRONMENT = {**CHECKED, "LAMBENT_ALLOC": "malloc", "ASAN_OPTIONS": "detect_leaks=0"}

Outcome = tuple[str, str, int]


def build_texts(texts: Mapping[str, str], folder: Path) -> Path:
    """A sanitized binary of the programs with these texts."""
    sources = {name: Source(f"{name}.lisp", text) for name, text in texts.items()}
    programs = {name: compile_source(source) for name, source in sources.items()}
    return build_programs(programs, folder)


def build_programs(
    programs: Mapping[str, Anf], folder: Path, options: Options = SANITIZED
) -> Path:
    """A binary of the programs, in a folder that holds no other C."""
    symbols = {name: f"program_{index}" for index, name in enumerate(programs)}
    for name, anf in programs.items():
        text = emit_c(whole_program(anf), program=symbols[name])
        check_c(text)
        (folder / f"{symbols[name]}.c").write_text(text, encoding="utf-8")
    tensors = any(anf.uses_tensors for anf in programs.values())
    loaded = c_string(str(library_path())) if tensors else "NULL"
    (folder / "driver.c").write_text(_driver(symbols, loaded), encoding="utf-8")
    objects = compile_objects(sorted(folder.glob("*.c")), folder, options)
    binary = folder / "binary"
    libraries = link_flags(options, tensors=tensors)
    run_compiler([*options.flags, *objects, "-o", binary, *libraries, "-ldl"])
    return binary


def _driver(symbols: Mapping[str, str], loaded: str) -> str:
    return "\n".join(
        (
            f'#include "{DRIVER}"',
            *(f"extern const rt_program {symbol};" for symbol in symbols.values()),
            f"const char *const test_library = {loaded};",
            "const test_program test_programs[] = {",
            *(f"    {{{c_string(name)}, &{symbol}}}," for name, symbol in symbols.items()),
            "    {NULL, NULL}};\n",
        )
    )


def finish(
    command: Sequence[str | Path],
    folder: Path,
    environment: Mapping[str, str] = ENVIRONMENT,
    seconds: float = 300,
    memory: int | None = None,
) -> Outcome:
    """Run to the end: stdout, stderr, status.  memory: the most bytes it may map."""
    limit = None if memory is None else partial(setrlimit, RLIMIT_AS, (memory, memory))
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=seconds, preexec_fn=limit,
    )  # fmt: skip
    return done.stdout, done.stderr, done.returncode
