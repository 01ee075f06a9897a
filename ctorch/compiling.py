"""Run the compiler: the C++ sources to the library, cffi's and our C to the Python module.

    handle.cpp typed.cpp ...                  => liblambent_ctorch.so
    ctorch.h through cffi, python_*.c         => _lambent_ctorch.so

Apart from `build.py` because a warm start never gets here.
"""

import os
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
)
from lambent.lang.errors import UsageFault

CFFI_NAME = "_lambent_ctorch"
SLOWEST_FIRST = ("ops.cpp", "autograd.cpp", "errors.cpp")  # so that none is left to run alone


def compile_all(torch: Torch, compiler: str, folder: Path) -> None:
    """Make both files in the folder.  A failure leaves what the compiler said beside it."""
    _check_headers()
    log = folder.with_name("build.log")
    log.unlink(missing_ok=True)
    sources = sorted(cpp_sources(), key=lambda p: (p.name not in SLOWEST_FIRST, p.name))
    cffi_source = folder / f"{CFFI_NAME}.c"
    write_cffi_source(cffi_source)
    includes = ["-isystem", str(torch.include), f"-I{HERE}"]
    python = [f"-I{sysconfig.get_path('include')}", f"-I{HERE}"]
    jobs = [[compiler, *CXX_FLAGS, *includes, "-c", str(s)] for s in sources]
    jobs += [[compiler, *C_FLAGS, *python, "-c", str(s)]
             for s in (cffi_source, *c_sources())]
    objects = [folder / f"{Path(job[-1]).stem}.o" for job in jobs]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as workers:
        list(workers.map(lambda job, out: _run([*job, "-o", str(out)], log), jobs, objects))
    library, module = objects[: len(sources)], objects[len(sources) :]
    rpath = [f"-Wl,-rpath,{torch.lib}", "-Wl,-rpath,$ORIGIN"]
    _run([compiler, "-shared", *map(str, library), "-o", str(folder / LIBRARY),
          f"-L{torch.lib}", *(f"-l{name}" for name in LIBRARIES), *rpath], log)
    _run([compiler, "-shared", *map(str, module), "-o", str(folder / MODULE), f"-L{folder}",
          "-llambent_ctorch", f"-Wl,-rpath-link,{torch.lib}", *rpath], log)
    for leftover in (*objects, cffi_source):
        leftover.unlink()


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
