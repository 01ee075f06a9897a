"""The reducer finds the form that makes a program of many forms fail."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lambent.lang.compile.ir.text import to_text
from lambent.lang.passes import PASSES
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from tests.stress.reduce import crash, differ, reduced, verify
from tests.support.paths import ROOT
from tests.support.random_programs.random_sources import random_source

CULPRIT = """\
(define (culprit l)
  (let* ((total (apply + l)) (half (quotient total 2)))
    (when (> half 1)
      (for-each (lambda (x) (set! total (+ total x))) l)
      (call-with-values (lambda () (exact-integer-sqrt (* total total))) list))))
(print (culprit '(1 2 3 4)))
"""


def long_program(culprit: str) -> str:
    """At least 60 forms, with the culprit in the middle."""
    forms = [f"(define (helper-{i} x y) (if (< x y) (list x 'y \"text {i}\") (vector y x {i})))\n"
             f"(print (helper-{i} {i} (* 2 {i})))\n" for i in range(31)]  # fmt: skip
    return "".join([*forms[:16], culprit, *forms[16:]])


def test_a_pass_that_breaks_one_construct(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass loses all functions wherever it meets `exact-integer-sqrt`; its verifier fails."""

    def broken(anf: Any, job: object) -> Any:
        return replace(anf, functions=()) if "exact-integer-sqrt(" in to_text(anf) else anf

    monkeypatch.setitem(PASSES, "simplify", replace(PASSES["simplify"], run=broken))
    text = long_program(CULPRIT)
    assert len(read(Source("long.lisp", text))) >= 60
    small = reduced(text, verify)
    assert "exact-integer-sqrt" in small
    assert len(read(Source("small.lisp", small))) <= 2
    assert len(small) < 100


def test_a_crash_stays_in_its_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reduced program fails in the same pass, although another pass fails, too."""

    def broken(anf: Any, job: object) -> Any:
        assert "vector-ref" not in to_text(anf)
        return anf

    to_anf = PASSES["to_anf"].run

    def also_broken(lifted: Any, job: Any) -> Any:
        assert len(lifted.main.forms) > 2, "too small"
        return to_anf(lifted, job)

    monkeypatch.setitem(PASSES, "borrow", replace(PASSES["borrow"], run=broken))
    monkeypatch.setitem(PASSES, "to_anf", replace(PASSES["to_anf"], run=also_broken))
    text = random_source(3) + "(define (f v i) (vector-ref v (+ i 1)))\n(print (f #(1 2 3) 1))\n"
    small = reduced(text, crash)
    assert "vector-ref" in small
    assert len(small.splitlines()) <= 2


def test_a_difference_between_the_back_ends() -> None:
    """The current time differs in every run."""
    text = '(define (now) (list "it is" (current-jiffy)))\n(print "hello")\n(print (now))\n'
    assert reduced(text, differ, most=12).count("\n") < 3
    with pytest.raises(ValueError, match="does not fail"):
        reduced('(print "hello")\n', differ)


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "long.lisp"
    path.write_text(long_program("(define (only v) (vector-map (lambda (x) (+ x 1)) v))\n"))
    command = [sys.executable, "-m", "tests.stress.reduce", str(path), "--check",
               "grep -q 'vector-map (lambda'"]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "(vector-map (lambda))\n"), done.stderr
