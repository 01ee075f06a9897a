"""Broken programs: real sources with pieces changed, and pieces of syntax in a row.

For every text, reading, analysis and the checks before the run end with a program or with one error
that has a location in the text: no crash, no Python traceback.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from lambent.lang.core.check.check import check
from lambent.lang.errors import LispError, render
from lambent.lang.pipeline import program_of
from lambent.lang.syntax.source import Source
from tests.suites.syntax.test_read import PIECES, ROOT

FEW, ALL = 300, 20_000
WORDS = [
    "define", "lambda", "let", "let*", "letrec", "named", "if", "cond", "case", "=>", "else", "do",
    "dotimes", "quasiquote", "unquote", "unquote-splicing", "quote", "set!", "begin", "when", "and",
    "guard", "parameterize", "define-record-type", "define-syntax", "syntax-rules", "let-syntax",
    "define-values", "let-values", "receive", "case-lambda", "delay", "import", "define-library",
    "defmacro", "->", "assert", "no-grad", "_", "...", ":key", "car", "x", "(x)", "()", "1", '"s"',
    "(x 1)", "((x 1))", ". x", "#(1 2)", "[1 2]", "[[1] [2 3]]", "`(a ,b ,@c)", "#0=(a . #0#)",
]  # fmt: skip


def sources() -> list[str]:
    folders = ("stdlib", "examples", "tests/programs", "tests/errors")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.lisp"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def changed(text: str, rng: random.Random) -> str:
    """A text with a few pieces inserted, removed, doubled or moved."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        size = rng.choice((0, 1, 1, 2, 5, 20))
        match rng.randint(0, 3):
            case 0:
                text = text[:at] + rng.choice(PIECES) + text[at + size :]
            case 1:
                text = text[:at] + f" {rng.choice(WORDS)} " + text[at + size :]
            case 2:
                text = text[:at] + text[at + size :]
            case _:
                to = rng.randrange(len(text) + 1)
                text = text[:to] + text[at : at + 3 * size] + text[to:]
    return text


def form(rng: random.Random, depth: int = 0) -> str:
    """A form of known words, in any order."""
    words = [
        form(rng, depth + 1) if depth < 4 and rng.random() < 0.35 else rng.choice(WORDS)
        for _ in range(rng.randint(1, 5))
    ]
    return f"({' '.join(words)})"


def texts(count: int) -> Iterator[str]:
    rng = random.Random(65)
    originals = sources()
    for _ in range(count):
        if rng.random() < 0.4:
            yield "\n".join(form(rng) for _ in range(rng.randint(1, 3)))
            continue
        lines = rng.choice(originals).splitlines(keepends=True)
        start = rng.randrange(len(lines))
        yield changed("".join(lines[start : start + rng.randint(1, 25)]), rng)


def test_any_text_is_a_program_or_an_error_with_a_location(
    all_random: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a folder without files to import
    for text in texts(ALL if all_random else FEW):
        try:
            program = program_of(Source("fuzz.lisp", text))
            for diagnostic in check(program):
                str(diagnostic)
        except LispError as error:
            assert error.span, (text, error.message)
            assert render(error), text
        except BaseException as error:
            raise AssertionError(text) from error
