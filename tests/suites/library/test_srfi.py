"""The list and vector libraries of SRFI 1 and 133: random calls against Python, for every name.

The programs in tests/programs/srfi_*.lisp run on both back ends; here the interpreter runs the
procedures on many lists.
"""

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent
from lambent.lang.core.modules.srfi_libraries import SRFI_LIBRARIES
from tests.support.paths import PROGRAMS

_WORD = re.compile(r"[^\s()\[\]'\"`,;]+")

ints = st.integers(-4, 9)
lists = st.lists(ints, max_size=7)


def unique(items: list[int]) -> list[int]:
    return list(dict.fromkeys(items))


def adjoined(items: list[int], *others: int) -> list[int]:
    for x in others:
        items = items if x in items else [x, *items]
    return items


def united(*rows: list[int]) -> list[int]:
    result = rows[0] if rows else []
    for row in rows[1:]:
        result = adjoined(result, *row)
    return result


def split(items: list[int]) -> tuple[list[int], list[int]]:
    taken = list(itertools.takewhile(lambda x: x % 2 == 0, items))
    return taken, items[len(taken) :]


def tails(items: list[int]) -> list[list[int]]:
    return [items[k:] for k in range(len(items))]


def index(items: list[int]) -> int | bool:
    return next((k for k, x in enumerate(items) if x % 2 == 0), False)


def last_index(items: list[int]) -> int | bool:
    return next((k for k in reversed(range(len(items))) if items[k] % 2 == 0), False)


def within(items: list[int], *rows: list[int]) -> list[int]:
    return [x for x in items if any(x in row for row in rows)]


def without(items: list[int], *rows: list[int]) -> list[int]:
    return [x for x in items if not any(x in row for row in rows)]


# Calls in Lisp, and the same in Python.
CASES: dict[str, Callable[..., Any]] = {
    "(lambda (a) (reverse! (list-copy a)))": lambda a: a[::-1],
    "(lambda (a b) (append! (list-copy a) (list-copy b)))": lambda a, b: a + b,
    "(lambda (a b c) (concatenate! (map list-copy (list a b c))))": lambda a, b, c: a + b + c,
    "append-reverse!": lambda a, b: a[::-1] + b,
    "zip": lambda a, b: [list(pair) for pair in zip(a, b, strict=False)],
    "(lambda (a b) (unzip2 (zip a b)))": lambda a, b: tuple(
        list(row) for row in (list(zip(*zip(a, b, strict=False), strict=True)) or [(), ()])
    ),
    "(lambda (a b) (fold cons* '() a b))": lambda a, b: [
        x for pair in reversed(list(zip(a, b, strict=False))) for x in pair
    ],
    "(lambda (a b) (fold-right cons* '() a b))": lambda a, b: [
        x for pair in zip(a, b, strict=False) for x in pair
    ],
    "(lambda (a) (reduce - 0 a))": lambda a: _reduced(a),
    "(lambda (a) (reduce-right - 0 a))": lambda a: _reduced_right(a),
    "(lambda (a) (pair-fold cons '() a))": lambda a: tails(a)[::-1],
    "(lambda (a) (pair-fold-right cons '() a))": tails,
    "(lambda (a) (append-map! (lambda (x) (list x (- x))) a))": lambda a: [
        y for x in a for y in (x, -x)
    ],
    "(lambda (a) (filter! even? a))": lambda a: [x for x in a if x % 2 == 0],
    "(lambda (a) (remove! even? a))": lambda a: [x for x in a if x % 2],
    "(lambda (a) (partition! even? a))": lambda a: (
        [x for x in a if x % 2 == 0], [x for x in a if x % 2]
    ),
    "(lambda (a) (span! even? a))": split,
    "(lambda (a) (break! odd? a))": split,
    "(lambda (a) (take-while! even? a))": lambda a: split(a)[0],
    "(lambda (a) (drop-while even? a))": lambda a: split(a)[1],
    "(lambda (a) (list-index even? a))": index,
    "(lambda (a) (delete! 3 a))": lambda a: [x for x in a if x != 3],
    "(lambda (a) (delete! 3 a <))": lambda a: [x for x in a if not x > 3],
    "delete-duplicates!": unique,
    "(lambda (a b) (list= = a b))": lambda a, b: a == b,
    "length+": len,
    "(lambda (a b) (lset<= = a b))": lambda a, b: set(a) <= set(b),
    "(lambda (a b c) (lset<= = a b c))": lambda a, b, c: set(a) <= set(b) <= set(c),
    "(lambda (a b) (lset= = a b))": lambda a, b: set(a) == set(b),
    "(lambda (a b) (apply lset-adjoin = a b))": lambda a, b: adjoined(a, *b),
    "(lambda (a b c) (lset-union = a b c))": united,
    "(lambda (a b c) (lset-union! = a b c))": united,
    "(lambda (a b c) (lset-intersection = a b c))": lambda a, b, c: within(within(a, b), c),
    "(lambda (a b c) (lset-difference! = a b c))": without,
    "(lambda (a b) (lset-xor = a b))": lambda a, b: without(a, b)[::-1] + without(b, a),
    "(lambda (a b c) (lset-diff+intersection = a b c))": lambda a, b, c: (
        without(a, b, c), within(a, b, c)
    ),
    "(lambda (a b) (vector->list (vector-map + (list->vector a) (list->vector b))))":
        lambda a, b: [x + y for x, y in zip(a, b, strict=False)],
    "(lambda (a) (vector-fold-right (lambda (l x) (cons x l)) '() (list->vector a)))":
        lambda a: a,
    "(lambda (a b) (vector-fold (lambda (n x y) (+ n (* x y))) 0 (list->vector a)"
    " (list->vector b)))": lambda a, b: sum(x * y for x, y in zip(a, b, strict=False)),
    "(lambda (a) (vector->list (vector-cumulate + 0 (list->vector a))))":
        lambda a: list(itertools.accumulate(a)),
    "(lambda (a) (vector-index even? (list->vector a)))": index,
    "(lambda (a) (vector-index-right even? (list->vector a)))": last_index,
    "(lambda (a) (vector-skip odd? (list->vector a)))": index,
    "(lambda (a) (vector-skip-right odd? (list->vector a)))": last_index,
    "(lambda (a b) (vector-count < (list->vector a) (list->vector b)))":
        lambda a, b: sum(x < y for x, y in zip(a, b, strict=False)),
    "(lambda (a) (vector-any (lambda (x) (and (even? x) (* 2 x))) (list->vector a)))":
        lambda a: next((2 * x for x in a if x % 2 == 0), False),
    "(lambda (a) (vector-every (lambda (x) (and (even? x) (* 2 x))) (list->vector a)))":
        lambda a: False if any(x % 2 for x in a) else 2 * a[-1] if a else True,
    "(lambda (a) (vector-partition even? (list->vector a)))": lambda a: (
        (*[x for x in a if x % 2 == 0], *[x for x in a if x % 2]),
        sum(x % 2 == 0 for x in a),
    ),
    "(lambda (a) (vector->list (vector-reverse-copy (list->vector a))))": lambda a: a[::-1],
    "(lambda (a) (let ((v (list->vector a))) (vector-reverse! v) (vector->list v)))":
        lambda a: a[::-1],
    "(lambda (a) (reverse-vector->list (list->vector a)))": lambda a: a[::-1],
    "(lambda (a) (vector->list (reverse-list->vector a)))": lambda a: a[::-1],
    "(lambda (a b) (vector= = (list->vector a) (list->vector b)))": lambda a, b: a == b,
    "(lambda (a b) (vector->list (vector-concatenate (map list->vector (list a b)))))":
        lambda a, b: a + b,
}

# The same with an index that may be too large.
INDEXED: dict[str, Callable[..., Any]] = {
    "(lambda (a k) (take! (list-copy a) k))": lambda a, k: a[:k],
    "(lambda (a k) (drop-right! (list-copy a) k))": lambda a, k: a[: len(a) - k],
    "(lambda (a k) (take-right a k))": lambda a, k: a[len(a) - k :],
    "(lambda (a k) (drop-right a k))": lambda a, k: a[: len(a) - k],
    "(lambda (a k) (split-at! (list-copy a) k))": lambda a, k: (a[:k], a[k:]),
    "(lambda (a k) (vector->list (vector-reverse-copy (list->vector a) k)))":
        lambda a, k: a[k:][::-1],
    "(lambda (a k) (reverse-vector->list (list->vector a) 0 k))": lambda a, k: a[:k][::-1],
}


def _reduced(a: list[int]) -> int:
    result = a[0] if a else 0
    for x in a[1:]:
        result = x - result
    return result


def _reduced_right(a: list[int]) -> int:
    result = a[-1] if a else 0
    for x in reversed(a[:-1]):
        result = x - result
    return result


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    return lambent.Session()


@pytest.mark.parametrize("text", CASES)
def test_calls_agree_with_python(session: lambent.Session, text: str) -> None:
    lisp, python = session.eval(text), CASES[text]
    count = python.__code__.co_argcount if hasattr(python, "__code__") else 1
    count = 3 if python is united or python is without else count

    @settings(deadline=None, max_examples=15, database=None)
    @given(st.lists(lists, min_size=count, max_size=count))
    def agree(rows: list[list[int]]) -> None:
        assert lisp(*rows) == python(*rows)

    agree()


@pytest.mark.parametrize("text", INDEXED)
def test_sublists_agree_with_python(session: lambent.Session, text: str) -> None:
    lisp, python = session.eval(text), INDEXED[text]

    @settings(deadline=None, max_examples=30, database=None)
    @given(lists, st.integers(0, 9))
    def agree(items: list[int], k: int) -> None:
        if k <= len(items):
            assert lisp(items, k) == python(items, k)
            return
        with pytest.raises(lambent.LispError, match="is out of range for length"):
            lisp(items, k)

    agree()


@pytest.mark.parametrize(
    "number",
    [1, 2, 14, 26, 27, 31, 41, 64, 69, 111, 113, 117, 125, 128, 132, 133, 141, 143, 144, 145,
     146, 151, 158],
)
def test_every_name_is_in_a_program(number: int) -> None:
    """Programs run on both back ends."""
    words: set[str] = set()
    for path in PROGRAMS.rglob("*.lisp"):
        words.update(_WORD.findall(path.read_text(encoding="utf-8")))
    words.add("test-read-eval-string")  # executables have no evaluator: test_eval.py has it
    assert sorted(set(SRFI_LIBRARIES["srfi", number]) - words) == []
