"""Forms nested far deeper than people write: programs write programs."""

import subprocess
from pathlib import Path

import pytest

from tests.support.programs_run import command_of

# The text before, in the middle and after, and the value, which is printed.
FORMS = {
    "let": ("(let ((x 1)) ", "x", ")", "1"),
    "let, in the value": ("(let ((x ", "1", ")) x)", "1"),
    "let*": ("(let* ((x 1) (y x)) ", "y", ")", "1"),
    "letrec": ("(letrec ((f (lambda () 1))) ", "(f)", ")", "1"),
    "if": ("(if (eqv? n 1) 1 ", "2", ")", "2"),
    "if, in the test": ("(if ", "n", " 1 #f)", "1"),
    "cond": ("(cond ((eqv? n 1) 1) (else ", "2", "))", "2"),
    "case": ("(case n ((1) 1) (else ", "2", "))", "2"),
    "and": ("(and n ", "2", ")", "2"),
    "or": ("(or #f ", "2", ")", "2"),
    "arithmetic": ("(+ n ", "1", ")", "{sum}"),
    "a call": ("(identity ", "1", ")", "1"),
    "a list": ("(list ", "1", ")", "{brackets}"),
    "a quoted list": ("(car '(", "1", "))", None),
    "quasi-quotation": ("(car `(,", "1", "))", "1"),
    "a lambda that is called": ("((lambda (x) ", "x", ") 1)", "1"),
    "a macro": ("(twice ", "1", ")", "1"),
    "set!": ("(begin (set! m ", "1", ") m)", "1"),
}
DATA_DEPTH = 100_000
DEPTH, PROCEDURES = 120, 1_000


def program() -> tuple[str, str]:
    lines = [
        "(define n 3)", "(define m 3)",
        "(define-syntax twice (syntax-rules () ((_ x) (let ((kept x)) kept))))",
    ]  # fmt: skip
    printed = []
    for before, middle, after, gives in FORMS.values():
        if gives is None:
            before, middle, after, gives = "(", "1", ")", "{brackets}"
            text = f"'{before * DEPTH}{middle}{after * DEPTH}"
        else:
            text = f"{before * DEPTH}{middle}{after * DEPTH}"
        lines.append(f"(print {text})")
        nested = "(" * DEPTH + "1" + ")" * DEPTH
        printed.append(gives.format(sum=3 * DEPTH + 1, brackets=nested))
    lines.append(f"(define f {'(lambda (x) ' * PROCEDURES}x{')' * PROCEDURES})")
    lines.append(f"(print (procedure? {'(' * PROCEDURES}f{' 1)' * PROCEDURES}))")
    return "\n".join(lines) + "\n", "\n".join([*printed, "#f"]) + "\n"


@pytest.mark.slow
def test_deep_data_is_read(tmp_path: Path, back_end: str) -> None:
    data = "(1 #(" * (DATA_DEPTH // 2) + "a" + "))" * (DATA_DEPTH // 2)
    text = f"(define data '{data})\n(print (vector? (cadr data)))\n"
    done = subprocess.run(
        command_of(text, back_end, tmp_path), cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr, done.returncode) == ("#t\n", "", 0)


@pytest.mark.slow
def test_deep_programs_run(tmp_path: Path, back_end: str) -> None:
    """marshal cannot write a thousand nested procedures, so such a program is not cached."""
    text, expected = program()
    done = subprocess.run(
        command_of(text, back_end, tmp_path), cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)
