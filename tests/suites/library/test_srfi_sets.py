"""SRFI 113 and 125 against Python: sets, `Counter` as bags, and dictionaries."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent

EXAMPLES = settings(deadline=None, max_examples=40, database=None)

elements = st.lists(st.integers(0, 5), max_size=12)
entries = st.dictionaries(st.integers(0, 6), st.integers(0, 3), max_size=6)


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    session = lambent.Session()
    session.eval("(import (srfi 113) (srfi 125) (srfi 128))")
    session.eval("(define c (make-default-comparator))")
    session.eval("(define (s l) (list->set c l))")
    session.eval("(define (b l) (list->bag c l))")
    session.eval("(define (sorted l) (sort l <))")
    session.eval(
        "(define (t l) (alist->hash-table (map (lambda (p) (cons (car p) (cadr p))) l) c))"
    )
    session.eval(
        "(define (rows t) (sort (map (lambda (p) (list (car p) (cdr p))) (hash-table->alist t))"
        " (lambda (a b) (< (car a) (car b)))))"
    )
    return session


def distance(a: Counter[int], b: Counter[int]) -> Counter[int]:
    return Counter({x: abs(a[x] - b[x]) for x in a | b})


SETS: dict[str, Callable[[set[int], set[int]], Any]] = {
    "set-union": lambda a, b: a | b,
    "set-intersection": lambda a, b: a & b,
    "set-difference": lambda a, b: a - b,
    "set-xor": lambda a, b: a ^ b,
    "set=?": lambda a, b: a == b,
    "set<?": lambda a, b: a < b,
    "set>?": lambda a, b: a > b,
    "set<=?": lambda a, b: a <= b,
    "set>=?": lambda a, b: a >= b,
    "set-disjoint?": lambda a, b: a.isdisjoint(b),
}
BAGS: dict[str, Callable[[Counter[int], Counter[int]], Any]] = {
    "bag-union": lambda a, b: a | b,
    "bag-intersection": lambda a, b: a & b,
    "bag-difference": lambda a, b: a - b,
    "bag-xor": distance,
    "bag-sum": lambda a, b: a + b,
    "bag=?": lambda a, b: a == b,
    "bag<?": lambda a, b: a < b,
    "bag>?": lambda a, b: a > b,
    "bag<=?": lambda a, b: a <= b,
    "bag>=?": lambda a, b: a >= b,
    "bag-disjoint?": lambda a, b: not (a & b),
}
TABLES: dict[str, Callable[[dict[int, int], dict[int, int]], dict[int, int]]] = {
    "hash-table-union!": lambda a, b: {**b, **a},
    "hash-table-intersection!": lambda a, b: {k: v for k, v in a.items() if k in b},
    "hash-table-difference!": lambda a, b: {k: v for k, v in a.items() if k not in b},
    "hash-table-xor!": lambda a, b: {
        **{k: v for k, v in a.items() if k not in b},
        **{k: v for k, v in b.items() if k not in a},
    },
}


def is_test(name: str) -> bool:
    return name.endswith("?")


@pytest.mark.parametrize("name", [*SETS, *BAGS])
def test_sets_and_bags_agree_with_python(session: lambent.Session, name: str) -> None:
    kind = name[:3]
    call = f"({name} ({kind[0]} x) ({kind[0]} y))"
    shown = call if is_test(name) else f"(sorted ({kind}->list {call}))"
    lisp = session.eval(f"(lambda (x y) {shown})")

    @EXAMPLES
    @given(elements, elements)
    def agree(x: list[int], y: list[int]) -> None:
        if kind == "set":
            expected = SETS[name](set(x), set(y))
        else:
            expected = BAGS[name](Counter(x), Counter(y))
        if isinstance(expected, Counter):
            expected = expected.elements()
        assert lisp(x, y) == (expected if is_test(name) else sorted(expected))

    agree()


@pytest.mark.parametrize("name", TABLES)
def test_hash_tables_agree_with_python(session: lambent.Session, name: str) -> None:
    lisp = session.eval(f"(lambda (x y) (rows ({name} (t x) (t y))))")

    @EXAMPLES
    @given(entries, entries)
    def agree(x: dict[int, int], y: dict[int, int]) -> None:
        rows = lisp([list(row) for row in x.items()], [list(row) for row in y.items()])
        assert rows == [list(row) for row in sorted(TABLES[name](x, y).items())]

    agree()
