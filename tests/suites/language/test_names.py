"""Messages show the path of a file as it was typed, in a script and in its executable."""

import subprocess
import sys
from pathlib import Path

import pytest

LAMBENT = [sys.executable, "-m", "lambent.lang"]
FILES = {
    "a.lisp": '(import "./deep/../b.lisp")\n(define (f) (list (fails)))\n(list (f))\n',
    "b.lisp": '(import "deep/c.lisp")\n(define (fails) (list (deeper)))\n',
    "deep/c.lisp": "(define (deeper) (car (string->number \"5\")))\n",
}


def said(command: list[str | Path], folder: Path) -> tuple[str, int]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.stderr, done.returncode


@pytest.mark.parametrize(
    "typed", ["./a.lisp", "deep/../a.lisp", ".//deep/.././a.lisp", "{here}/a.lisp"]
)
def test_path_is_shown_as_typed(typed: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    typed = typed.format(here=tmp_path)
    errors, status = said([*LAMBENT, typed], tmp_path)
    assert status == 70
    assert f" called at {typed}:3:7\n" in errors
    assert said([*LAMBENT, "compile", typed, "-o", "a"], tmp_path) == ("", 0)
    assert said([tmp_path / "a"], tmp_path) == (errors, 70)
