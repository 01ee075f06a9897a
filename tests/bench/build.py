"""Build the programs of the benchmark: Lisp by `lambent compile`, peers by gcc and g++.

    programs/tiny.lisp  =>  build/bench/tiny
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT

OUT = ROOT / "build" / "bench"
EXAMPLES = ROOT / "examples"
PEERS = Path(__file__).parent / "peers"
PROGRAMS = Path(__file__).parent / "programs"
PYTHON = Path(sys.executable)
LAMBENT = PYTHON.parent / "lambent"


def compile_lisp(source: Path) -> Path:
    """The executable of a Lisp program."""
    program = OUT / source.stem
    _run([LAMBENT, "compile", source, "-o", program])
    return program


def with_epilogue(source: Path, epilogue: Path) -> Path:
    """A program: the unchanged text of the source, followed by the epilogue."""
    joined = OUT / f"{source.stem}_{epilogue.stem}.lisp"
    joined.write_text(source.read_text() + epilogue.read_text())
    return joined


def compile_c(source: Path) -> Path:
    program = OUT / f"{source.stem}-c"
    _run(["gcc", "-std=c99", "-O2", source, "-o", program])
    return program


def compile_cpp(source: Path, *, shared: bool = False) -> Path:
    """A C++ program, or shared library, linked to the LibTorch in Python's torch package."""
    program = OUT / f"{source.stem}{'.so' if shared else '-cpp'}"
    torch = _torch_folder()
    _run([
        "g++", "-std=c++20", "-O2", *(["-shared", "-fPIC"] if shared else []),
        "-isystem", torch / "include", source, "-o", program,
        "-L", torch / "lib", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{torch / 'lib'}",
    ])  # fmt: skip
    return program


def _torch_folder() -> Path:
    """The folder of the torch package, found without importing it, which takes a second."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the benchmark compares with Python's torch, which is not installed")
    return Path(spec.submodule_search_locations[0])


def _run(command: list[str | Path]) -> None:
    print("+", *(Path(p).name if isinstance(p, Path) else p for p in command), file=sys.stderr)
    if subprocess.run([str(part) for part in command]).returncode != 0:
        raise SystemExit(f"{command[0]} failed")
