"""The passes as machine code do what they do as Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lambent.lang.mypyc import modules
from lambent.lang.mypyc.building import build
from tests.support.paths import ROOT
from tests.support.processes.python_passes import USES_PYTHON

PROGRAMS = sorted((ROOT / "tests/programs").glob("*.lisp"))[::6]
# A command that fails unless it uses the compiled modules.  The C compiler does not optimize: this
# takes a minute for code that is nested deeply.
COMMAND = """
import sys
from functools import partial
from lambent.lang.mypyc.finder import use_compiled_modules
assert use_compiled_modules(), "no compiled modules"
from lambent.lang import pipeline
from lambent.lang.cli import main
pipeline.compile_file = partial(pipeline.compile_file, optimize=False)
status = main(sys.argv[1:])
import lambent.lang.compile.ir.anf as anf
assert anf.__file__.endswith(".so"), anf.__file__
sys.exit(status)
"""
# Writes the C of programs to a folder, and fails unless the passes run as said: .so or .py.
EMIT = """
import sys
from pathlib import Path
suffix, folder, *programs = sys.argv[1:]
if suffix == ".so":
    from lambent.lang.mypyc.finder import use_compiled_modules
    assert use_compiled_modules(), "no compiled modules"
from lambent.lang.compile.ir import anf
from lambent.lang.pipeline import emit_file
assert anf.__file__.endswith(suffix), anf.__file__
for program in programs:
    Path(folder, Path(program).stem).write_text(emit_file(program))
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def compiled() -> Path:
    """`make test` has compiled them already, unless a source has changed since then."""
    return build()


@pytest.fixture(scope="module")
def c_of_both(tmp_path_factory: pytest.TempPathFactory, compiled: Path) -> tuple[Path, Path]:
    """Folders with the programs' C: by the passes as machine code, and as Python."""
    machine_code, python = [tmp_path_factory.mktemp(name) for name in ("machine-code", "python")]
    for suffix, folder in ((".so", machine_code), (".py", python)):
        words = [suffix, str(folder), *map(str, PROGRAMS)]
        subprocess.run([sys.executable, "-c", EMIT, *words], cwd=ROOT, check=True)
    return machine_code, python


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *words], cwd=ROOT, capture_output=True, text=True
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_c_is_the_same(program: Path, c_of_both: tuple[Path, Path]) -> None:
    machine_code, python = [(folder / program.stem).read_text() for folder in c_of_both]
    assert machine_code == python


def test_golden_cases_with_the_passes_as_python() -> None:
    """Where the passes have been compiled, the other tests use them."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/golden"],
        cwd=ROOT, env={**os.environ, USES_PYTHON: "1"}, capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stdout


def test_deep_nesting_is_no_crash(tmp_path: Path, compiled: Path) -> None:
    depth = 20_000
    path = tmp_path / "deep.lisp"
    path.write_text("(define (f x) x)\n(display " + "(f " * depth + "1" + ")" * depth + ")")
    done = run("compile", "-o", str(tmp_path / "deep"), str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert subprocess.run([tmp_path / "deep"], capture_output=True, text=True).stdout == "1"


def test_too_deep_nesting_is_an_error(tmp_path: Path, compiled: Path) -> None:
    depth = 500_000
    path = tmp_path / "deeper.lisp"
    path.write_text("(define (f x) x)\n(display " + "(f " * depth + "1" + ")" * depth + ")")
    done = run("compile", "-o", str(tmp_path / "deeper"), str(path))
    assert done.returncode not in (0, -11, -6), done.stderr
    assert "nested too deeply" in done.stderr


# Gives a compiled pass a program whose result is not defined, and reports the crash.
CRASH = """
from dataclasses import replace
from lambent.lang.mypyc.finder import use_compiled_modules
assert use_compiled_modules(), "no compiled modules"
from lambent.lang import passes
from lambent.lang.compile.ir.anf import Block
from lambent.lang.crash_report import report
from lambent.lang.syntax.source import Source
borrow = passes.PASSES["borrow"]
def broken(anf, job):
    anf = borrow.run(anf, job)
    return replace(anf, main=replace(anf.main, body=Block((), anf.main.body.end)))
passes.PASSES["borrow"] = replace(borrow, run=broken)
try:
    passes.run_to("emit_c", passes.Job(Source("demo.lisp", "(define (f x) x) (print (f 1))")))
except KeyError as error:
    print(report(error))
"""


def test_a_crash_of_a_compiled_pass_names_it_and_keeps_its_input(compiled: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CRASH], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.startswith("lambent: internal error in insert_frees: KeyError"), done
    path = Path(done.stdout.split()[-1])
    said = path.read_text()
    path.unlink()
    assert "\n--- before insert_frees\nfn f(x: fixnum)" in said


def test_modules_that_run_as_python_are_not_mixed_with_compiled_ones(compiled: Path) -> None:
    program = """
import lambent.lang.compile.ir.anf
from lambent.lang.mypyc.finder import use_compiled_modules
assert not use_compiled_modules()
import lambent.lang.passes as passes
assert passes.to_anf.__code__
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_change_of_a_source_leaves_the_compiled_modules_out(
    tmp_path: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert modules.compiled_folder() == compiled
    path = tmp_path / "lang/compile/pass.py"
    path.parent.mkdir(parents=True)
    path.write_text("x = 1\n")
    monkeypatch.setattr(modules, "LANG", tmp_path / "lang")
    before = modules.mark_name()
    assert modules.mark_name() == before
    os.utime(path, (1, 1))
    assert modules.mark_name() != before
    assert modules.compiled_folder() is None
