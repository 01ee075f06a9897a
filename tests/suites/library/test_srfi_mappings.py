"""SRFI 146 against Python's dictionaries: mappings, which keep their order, and hashmaps."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent

EXAMPLES = settings(deadline=None, max_examples=40, database=None)
NAMES = ("mapping", "hashmap")

entries = st.dictionaries(st.integers(0, 30), st.integers(0, 3), max_size=30)
changes = st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 3)), max_size=60)
Table = dict[int, int]


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    session = lambent.Session()
    session.eval("(import (srfi 146) (srfi 146 hash) (srfi 128))")
    session.eval("(define c (make-default-comparator))")
    session.eval("(define (pairs l) (map (lambda (p) (cons (car p) (cadr p))) l))")
    session.eval("(define (rows l) (map (lambda (p) (list (car p) (cdr p))) l))")
    return session


OPERATIONS: dict[str, Callable[[Table, Table], Any]] = {
    "union": lambda a, b: {**b, **a},
    "intersection": lambda a, b: {k: v for k, v in a.items() if k in b},
    "difference": lambda a, b: {k: v for k, v in a.items() if k not in b},
    "xor": lambda a, b: {k: v for k, v in {**a, **b}.items() if (k in a) != (k in b)},
}
TESTS: dict[str, Callable[[Table, Table], bool]] = {
    "=?": lambda a, b: a == b,
    "<?": lambda a, b: a.items() < b.items(),
    ">?": lambda a, b: a.items() > b.items(),
    "<=?": lambda a, b: a.items() <= b.items(),
    ">=?": lambda a, b: a.items() >= b.items(),
}
# The part of a mapping before and after a key.
RANGES: dict[str, Callable[[int, int], bool]] = {
    "=": lambda k, key: k == key,
    "<": lambda k, key: k < key,
    ">": lambda k, key: k > key,
    "<=": lambda k, key: k <= key,
    ">=": lambda k, key: k >= key,
}


def listed(table: Table) -> list[list[int]]:
    return [[k, table[k]] for k in sorted(table)]


def alist(table: Table) -> list[list[int]]:
    return [[k, v] for k, v in table.items()]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_agree_with_python(
    session: lambent.Session, name: str, operation: str
) -> None:
    lisp = session.eval(
        f"(lambda (x y) (rows ({name}->alist ({name}-{operation} (alist->{name} c (pairs x))"
        f" (alist->{name} c (pairs y))))))"
    )

    @EXAMPLES
    @given(entries, entries)
    def agree(a: Table, b: Table) -> None:
        result = lisp(alist(a), alist(b))
        if name == "hashmap":
            result = sorted(result)
        assert result == listed(OPERATIONS[operation](a, b))

    agree()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("test", TESTS)
def test_comparisons_agree_with_python(session: lambent.Session, name: str, test: str) -> None:
    lisp = session.eval(
        f"(lambda (x y) ({name}{test} c (alist->{name} c (pairs x)) (alist->{name} c (pairs y))))"
    )

    @EXAMPLES
    @given(entries, entries, st.booleans())
    def agree(a: Table, b: Table, related: bool) -> None:
        if related:
            b = {**a, **b}
        assert lisp(alist(a), alist(b)) == TESTS[test](a, b)
        assert lisp(alist(b), alist(a)) == TESTS[test](b, a)

    agree()


@pytest.mark.parametrize("name", NAMES)
def test_changes_agree_with_python(session: lambent.Session, name: str) -> None:
    """A negative value stands for a key that goes."""
    lisp = session.eval(
        f"""(lambda (changes)
              (let ((m (fold (lambda (p m)
                               (if (< (cadr p) 0)
                                   ({name}-delete m (car p))
                                   ({name}-set m (car p) (cadr p))))
                             ({name} c) changes)))
                (list ({name}-size m) (rows ({name}->alist m)))))"""
    )

    @EXAMPLES
    @given(changes)
    def agree(items: list[tuple[int, int]]) -> None:
        table: Table = {}
        for key, value in items:
            table.pop(key, None)
            if value >= 0:
                table[key] = value
        size, rows = lisp([list(item) for item in items])
        assert (size, sorted(rows)) == (len(table), listed(table))

    agree()


@pytest.mark.parametrize("test", RANGES)
def test_ranges_agree_with_python(session: lambent.Session, test: str) -> None:
    lisp = session.eval(
        f"(lambda (x key) (let ((m (mapping-range{test} (alist->mapping c (pairs x)) key)))"
        " (list (mapping-size m) (rows (mapping->alist m)))))"
    )

    @EXAMPLES
    @given(entries, st.integers(0, 30))
    def agree(a: Table, key: int) -> None:
        part = {k: v for k, v in a.items() if RANGES[test](k, key)}
        assert lisp(alist(a), key) == [len(part), listed(part)]

    agree()
