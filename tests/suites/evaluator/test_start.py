"""`lambent FILE` with LAMBENT_MACHINE=1: what the command does before and after it becomes the
evaluator."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from lambent.lang.system.cache import cache_folder
from tests.stress.interrupts import HELD
from tests.support.programs_run import NONE

_COMMAND = [*HELD, sys.executable, "-m", "lambent.lang"]
_TENSORS = "(print (tensor-sum (tensor-ones 3)))"


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "LAMBENT_MACHINE": "1", "LAMBENT_CHECK_LEAKS": "1", **variables}


def _run(
    folder: Path, *words: str, given: str = "", variables: Mapping[str, str] = NONE
) -> tuple[str, str, int]:
    done = subprocess.run(
        [*_COMMAND, *words], cwd=folder, env=_environment(variables), input=given,
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return done.stdout, done.stderr, done.returncode


_FREED = "live handles: 0, live objects: 0\n"


def _write(folder: Path, text: str, name: str = "program.lisp") -> str:
    (folder / name).write_text(text)
    return name


# (program, words after its name, its input, what it prints)
_PROGRAMS = [
    ("(write (cdr (command-line)))", ["--profile", "a b", ""], "", '("--profile" "a b" "")'),
    ("(print (read-line) (read-line) (eof-object? (read-line)))", [], "one\ntwo", "one two #t"),
    (_TENSORS, [], "", "3.0"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words", "given", "printed"), _PROGRAMS)
def test_words_and_input(
    text: str, words: list[str], given: str, printed: str, tmp_path: Path
) -> None:
    name = _write(tmp_path, text)
    for _ in range(2):  # the second time from the cache
        output, errors, status = _run(tmp_path, name, *words, given=given)
        assert (output.strip(), errors, status) == (printed, _FREED, 0)


@pytest.mark.parametrize("text", ["(print (read-line))", "(print (eval '(read-line)))"])
def test_a_program_in_a_pipe_is_read_once(text: str, tmp_path: Path) -> None:
    """What follows the program's text in no other place is its input's end."""
    for _ in range(2):
        assert _run(tmp_path, "/dev/stdin", given=text)[0] == "#<eof>\n"


def test_time_passes_ends_with_the_programs_time(tmp_path: Path) -> None:
    name = _write(tmp_path, "(print (cdr (command-line))) (exit 3)")
    output, errors, status = _run(tmp_path, "--time-passes", name, "a")
    assert (output, status) == ("(a)\n", 3)
    assert errors.startswith(_FREED)
    assert "\nrun " in errors


def test_no_program_is_left_to_the_interpreter(tmp_path: Path) -> None:
    name = _write(tmp_path, "(define x 2) (print (eval '(* x 21)))")
    for _ in range(2):
        assert _run(tmp_path, name) == ("42\n", _FREED, 0)


def test_changed_files_make_new_code(tmp_path: Path) -> None:
    _write(tmp_path, "(define-library (part) (export x) (import (scheme base))"
                     " (begin (define x 1)))", "part.sld")  # fmt: skip
    name = _write(tmp_path, "(import (part) (scheme write)) (display x)")
    assert _run(tmp_path, name)[0] == "1"
    changed = (tmp_path / "part.sld").read_text().replace("x 1", "x 22")
    _write(tmp_path, changed, "part.sld")
    assert _run(tmp_path, name)[0] == "22"


def test_damaged_code_is_made_anew(tmp_path: Path) -> None:
    name = _write(tmp_path, f"(print 'damaged {time.time_ns()})")
    folder = cache_folder() / "code"
    before = set(folder.glob("*.code")) if folder.exists() else set()
    first = _run(tmp_path, name)
    (made,) = set(folder.glob("*.code")) - before
    for damage in (made.read_bytes()[:-8], bytes(made.stat().st_size), b""):
        made.write_bytes(damage)
        output, errors, status = _run(tmp_path, name)
        said = f"lambent: a file of the cache is damaged, and is made again: {made}\n"
        assert (output, errors, status) == (first[0], said + _FREED, 0)
        assert _run(tmp_path, name) == first


def test_reports(tmp_path: Path) -> None:
    name = _write(tmp_path, "(define x\n  (tensor-ones 1000))\n(print (tensor-shape x))")
    output, errors, status = _run(tmp_path, "--memory-report", "--profile", "out.json", name)
    assert (output, status) == ("(1000)\n", 0)
    assert "program.lisp:2:3" in errors
    assert "traceEvents" in (tmp_path / "out.json").read_text()


# Programs that wait or compute until Ctrl-C comes.
_ENDLESS = {
    "loop": "(let loop ((n 0)) (loop (+ n 1)))",
    "library": "(let loop () (fold + 0 (iota 100000)) (loop))",
    "read": "(read-line)",
    "LibTorch": "(define x (tensor-ones 3000 3000)) (let loop () (tensor-matmul x x) (loop))",
}


@pytest.mark.parametrize("name", _ENDLESS)
def test_ctrl_c(name: str, tmp_path: Path) -> None:
    text = f"(dynamic-wind list (lambda () (print 1) (flush-output) {_ENDLESS[name]})" \
        " (lambda () (print 2)))"  # fmt: skip
    command = [*_COMMAND, _write(tmp_path, text)]
    silent, writer = os.pipe()  # open to the end: communicate would close a pipe of Popen's
    running = subprocess.Popen(
        command, cwd=tmp_path, env=_environment({}), text=True,
        stdin=silent, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stdout is not None
    assert running.stdout.readline() == "1\n"
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=120)
    os.close(silent)
    os.close(writer)
    assert (output, running.returncode) == ("2\n", 130)
    assert errors in ("", _FREED)
