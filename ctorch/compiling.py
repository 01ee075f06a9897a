"""Run the compiler: the C++ sources to the library, cffi's and our C to the Python module.

    handle.cpp ops.cpp ..., typed.cpp         => liblambent_ctorch.so
    ctorch.h through cffi, python_*.c         => _lambent_ctorch.so

Apart from `build.py` because a warm start never gets here.  Object files are kept from build to
build, each under a key of what it was made from, so that a change to one source costs one
compilation.
"""

import os
import re
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from lambent.ctorch.build import (
    C_FLAGS,
    CXX_FLAGS,
    HERE,
    LIBRARIES,
    LIBRARY,
    MODULE,
    Torch,
    c_sources,
    cpp_sources,
    stamp,
)
from lambent.ctorch.typed_source import typed_source
from lambent.lang.errors import UsageFault

CFFI_NAME = "_lambent_ctorch"
KEPT_SECONDS = 7 * 24 * 3600
OUR_INCLUDE = re.compile(r'^#include "(.*)"', re.MULTILINE)
# So that none of them is left to run alone.
SLOWEST_FIRST = (
    "module.cpp", "typed.cpp", "ops.cpp", "convert.cpp", "autograd.cpp", "errors.cpp",
)


def compile_all(torch: Torch, compiler: str, folder: Path) -> None:
    """Make both files in the folder.  A failure leaves what the compiler said beside it."""
    _check_headers()
    log = folder.with_name("build.log")
    log.unlink(missing_ok=True)
    typed = folder / "typed.cpp"
    typed.write_text(typed_source())
    sources = sorted((*cpp_sources(), typed), key=lambda p: (p.name not in SLOWEST_FIRST, p.name))
    cffi_source = folder / f"{CFFI_NAME}.c"
    write_cffi_source(cffi_source)
    includes = ("-isystem", str(torch.include), f"-I{HERE}")
    python = (f"-I{sysconfig.get_path('include')}", f"-I{HERE}")
    compilations = [Compilation(s, CXX_FLAGS, includes) for s in sources]
    compilations += [Compilation(s, C_FLAGS, python) for s in (cffi_source, *c_sources())]
    store = _store_beside(folder)

    tools = f"{sys.implementation.cache_tag} {stamp(torch.lib / 'libtorch_cpu.so')} " \
            f"{torch.version} {stamp(Path(compiler))}"

    def compiled(compilation: Compilation) -> Path:
        return _object(compilation, compiler, tools, store, log)

    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as workers:
        objects = list(workers.map(compiled, compilations))
    library, module = objects[: len(sources)], objects[len(sources) :]
    rpath = [f"-Wl,-rpath,{torch.lib}", "-Wl,-rpath,$ORIGIN"]
    # Calls inside the library go straight to their functions.
    _run([compiler, "-shared", "-Wl,-Bsymbolic-functions", *map(str, library), "-o",
          str(folder / LIBRARY),
          f"-L{torch.lib}", *(f"-l{name}" for name in LIBRARIES), *rpath], log)
    _run([compiler, "-shared", *map(str, module), "-o", str(folder / MODULE), f"-L{folder}",
          "-llambent_ctorch", f"-Wl,-rpath-link,{torch.lib}", *rpath], log)
    cffi_source.unlink()
    typed.unlink()


@dataclass(frozen=True, slots=True)
class Compilation:
    source: Path
    flags: tuple[str, ...]
    includes: tuple[str, ...]  # where headers are, which says nothing about the result


def _store_beside(folder: Path) -> Path:
    """Where object files are kept; those that no build has wanted for long are dropped."""
    store = folder.with_name("objects")
    store.mkdir(exist_ok=True)
    for path in store.iterdir():
        with suppress(FileNotFoundError):  # other builds rename and drop files, too
            if path.stat().st_mtime < time.time() - KEPT_SECONDS:
                path.unlink()
    return store


def _object(made: Compilation, compiler: str, tools: str, store: Path, log: Path) -> Path:
    """The object file, compiled now if it has to be.  tools: what else it depends on."""
    check = crc32(f"{tools} {' '.join(made.flags)}".encode())
    for text in _texts(made.source):
        check = crc32(text, check)
    kept = store / f"{made.source.stem}-{check:08x}.o"
    if kept.exists():
        kept.touch()
        return kept
    fresh = store / f"{kept.name}.{os.getpid()}"
    _run([compiler, *made.flags, *made.includes, "-c", str(made.source), "-o", str(fresh)], log)
    fresh.rename(kept)
    return kept


def _texts(source: Path) -> list[bytes]:
    """The source and those of our own headers that it includes, directly or not."""
    found: dict[Path, bytes] = {}
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in found and path.exists():
            found[path] = path.read_bytes()
            waiting += [HERE / name for name in re.findall(OUR_INCLUDE, found[path].decode())]
    return [found[path] for path in sorted(found, key=lambda p: p.name)]


def _check_headers() -> None:
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        raise UsageFault(
            f"tensors need Python's C headers, once, to build the LibTorch interface: "
            f"no {header}",
            hint=f"sudo apt install python{sysconfig.get_python_version()}-dev",
        )


def declarations() -> str:
    """The part of ctorch.h that cffi reads."""
    text = (HERE / "ctorch.h").read_text()
    return text.split("/* cffi: begin */")[1].split("/* cffi: end */")[0]


def write_cffi_source(path: Path) -> None:
    from cffi import FFI
    from cffi.recompiler import make_c_source

    ffi = FFI()
    ffi.cdef(declarations())
    make_c_source(ffi, CFFI_NAME, '#include "ctorch.h"', str(path))


def _run(command: list[str], log: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    with log.open("a") as out:
        out.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}\n")
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    raise UsageFault(
        f"building the LibTorch interface failed: {(errors or ['no message'])[0]}",
        hint=f"the whole output is in {log}",
    )
