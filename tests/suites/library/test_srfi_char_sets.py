"""SRFI 14 against Python's sets of characters and its table of Unicode."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent
from tests.suites.syntax.test_unicode import SAME_EDITION

EXAMPLES = settings(deadline=None, max_examples=40, database=None)
ALL = frozenset(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)

near = st.characters(min_codepoint=97, max_codepoint=106)
texts = st.text(near | st.characters(exclude_categories=["Cs"]), max_size=12)

SETS: dict[str, Callable[[set[str], set[str]], Any]] = {
    "char-set-union": lambda a, b: a | b,
    "char-set-intersection": lambda a, b: a & b,
    "char-set-difference": lambda a, b: a - b,
    "char-set-xor": lambda a, b: a ^ b,
    "char-set=": lambda a, b: a == b,
    "char-set<=": lambda a, b: a <= b,
}
# The sets of Unicode's categories.
CATEGORIES = {
    "letter": "L", "title-case": "Lt", "digit": "Nd", "punctuation": "P", "symbol": "S",
    "iso-control": "Cc", "graphic": "LMNPS",
}  # fmt: skip


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    session = lambent.Session()
    session.eval("(import (srfi 14))")
    session.eval("(define (s text) (string->char-set text))")
    return session


@pytest.mark.parametrize("name", SETS)
def test_operations_agree_with_python(session: lambent.Session, name: str) -> None:
    call = f"({name} (s x) (s y))"
    shown = call if name.endswith("=") else f"(char-set->string {call})"
    lisp = session.eval(f"(lambda (x y) {shown})")

    @EXAMPLES
    @given(texts, texts)
    def agree(x: str, y: str) -> None:
        expected = SETS[name](set(x), set(y))
        assert lisp(x, y) == (expected if name.endswith("=") else "".join(sorted(expected)))

    agree()


def test_complements_and_members(session: lambent.Session) -> None:
    complement = session.eval("(lambda (x) (char-set-size (char-set-complement (s x))))")
    listed = session.eval(
        "(lambda (x) (char-set-fold (lambda (c l) (cons (string c) l)) '() (s x)))"
    )
    contains = session.eval("(lambda (x c) (char-set-contains? (s x) (string-ref c 0)))")

    @EXAMPLES
    @given(texts, near)
    def agree(x: str, c: str) -> None:
        assert complement(x) == len(ALL - set(x))
        assert listed(x) == sorted(set(x), reverse=True)
        assert contains(x, c) == (c in x)

    agree()


@SAME_EDITION
@pytest.mark.parametrize("name", CATEGORIES)
def test_sets_are_those_of_unicode(session: lambent.Session, name: str) -> None:
    letters = CATEGORIES[name]
    categories = (letters,) if len(letters) <= len("Lt") else tuple(letters)
    expected = "".join(sorted(c for c in ALL if unicodedata.category(c).startswith(categories)))
    assert session.eval(f"(char-set->string char-set:{name})") == expected
