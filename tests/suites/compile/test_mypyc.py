"""The passes as machine code do what they do as Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lambent.lang.mypyc import modules
from lambent.lang.mypyc.building import build
from lambent.lang.pipeline import emit_file
from tests.support.paths import ROOT

PROGRAMS = sorted((ROOT / "tests/programs").glob("*.lisp"))[::12]
# A command that fails unless it uses the compiled modules.
COMMAND = """
import sys
from lambent.lang.mypyc.finder import use_compiled_modules
assert use_compiled_modules(), "no compiled modules"
from lambent.lang.cli import main
status = main(sys.argv[1:])
import lambent.lang.compile.ir.anf as anf
assert anf.__file__.endswith(".so"), anf.__file__
sys.exit(status)
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def compiled() -> Path:
    """`make test` has compiled them already, unless a source has changed since then."""
    return build()


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *words], cwd=ROOT, capture_output=True, text=True
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_c_is_the_same(program: Path, tmp_path: Path, compiled: Path) -> None:
    text = emit_file(str(program))
    target = tmp_path / "compiled.c"
    done = run("compile", "--emit-c", "-o", str(target), str(program))
    assert done.returncode == 0, done.stderr
    assert target.read_text() == text


def test_deep_nesting_is_no_crash(tmp_path: Path, compiled: Path) -> None:
    depth = 20_000
    path = tmp_path / "deep.lisp"
    path.write_text("(define (f x) x)\n(display " + "(f " * depth + "1" + ")" * depth + ")")
    done = run("compile", "-o", str(tmp_path / "deep"), str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert subprocess.run([tmp_path / "deep"], capture_output=True, text=True).stdout == "1"


def test_too_deep_nesting_is_an_error(tmp_path: Path, compiled: Path) -> None:
    depth = 2_000_000
    path = tmp_path / "deeper.lisp"
    path.write_text("(define (f x) x)\n(display " + "(f " * depth + "1" + ")" * depth + ")")
    done = run("compile", "-o", str(tmp_path / "deeper"), str(path))
    assert done.returncode not in (0, -11, -6), done.stderr
    assert "nested too deeply" in done.stderr


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
