"""SRFI 132, 141, 143 and 151 against Python: its integers, and its stable sort."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lambent

WIDTH = 63  # bits of a fixnum
EXAMPLES = settings(deadline=None, max_examples=60, database=None)

integers = st.one_of(st.integers(-40, 40), st.integers(-(2**130), 2**130))
fixnums = st.one_of(st.integers(-40, 40), st.integers(-(2**62), 2**62 - 1))
indices = st.integers(0, 70)
pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 99)).map(list), max_size=40)


@pytest.fixture(scope="module")
def session() -> lambent.Session:
    session = lambent.Session()
    session.eval("(import (srfi 132) (srfi 141) (srfi 143) (srfi 151))")
    return session


# SRFI 141.


def ceiling(n: int, d: int) -> int:
    return math.ceil(Fraction(n, d))


def euclidean(n: int, d: int) -> int:
    return n // d if d > 0 else -(n // -d)


def balanced(n: int, d: int) -> int:
    q = math.floor(Fraction(n, abs(d)) + Fraction(1, 2))
    return q if d > 0 else -q


DIVISIONS: dict[str, Callable[[int, int], int]] = {
    "floor": lambda n, d: n // d,
    "ceiling": ceiling,
    "truncate": lambda n, d: math.trunc(Fraction(n, d)),
    "round": lambda n, d: round(Fraction(n, d)),
    "euclidean": euclidean,
    "balanced": balanced,
}


@pytest.mark.parametrize("name", DIVISIONS)
def test_divisions_agree_with_python(session: lambent.Session, name: str) -> None:
    both, quotient, remainder = (
        session.eval(f"{name}{end}") for end in ("/", "-quotient", "-remainder")
    )

    @EXAMPLES
    @given(integers, integers.filter(bool))
    def agree(n: int, d: int) -> None:
        q = DIVISIONS[name](n, d)
        assert both(n, d) == (q, n - d * q)
        assert (quotient(n, d), remainder(n, d)) == (q, n - d * q)

    agree()


# SRFI 151.


def field_mask(start: int, end: int) -> int:
    return ((1 << (end - start)) - 1) << start


def bits_of(n: int, start: int, end: int) -> list[bool]:
    return [bool(n >> k & 1) for k in range(start, end)]


def of_bits(bits: list[bool]) -> int:
    return sum(bit << k for k, bit in enumerate(bits))


def with_field(n: int, start: int, end: int, field: int) -> int:
    mask = field_mask(start, end)
    return (n & ~mask) | (field << start & mask)


def rotated(n: int, count: int, start: int, end: int) -> int:
    bits = bits_of(n, start, end)
    shift = count % len(bits) if bits else 0
    return with_field(n, start, end, of_bits(bits[len(bits) - shift :] + bits[: -shift or None]))


# What takes two integers, what takes one, and what takes one and a field.
TWO: dict[str, Callable[[int, int], Any]] = {
    "bitwise-eqv": lambda i, j: ~(i ^ j),
    "bitwise-nand": lambda i, j: ~(i & j),
    "bitwise-nor": lambda i, j: ~(i | j),
    "bitwise-andc1": lambda i, j: ~i & j,
    "bitwise-andc2": lambda i, j: i & ~j,
    "bitwise-orc1": lambda i, j: ~i | j,
    "bitwise-orc2": lambda i, j: i | ~j,
    "any-bit-set?": lambda i, j: i & j != 0,
    "every-bit-set?": lambda i, j: i & j == i,
    "(lambda (i j) (bitwise-if i j (- j)))": lambda i, j: (i & j) | (~i & -j),
}
ONE: dict[str, Callable[[int], Any]] = {
    "integer-length": lambda i: (~i if i < 0 else i).bit_length(),
    "bit-count": lambda i: (~i if i < 0 else i).bit_count(),
    "first-set-bit": lambda i: (i & -i).bit_length() - 1,
    "bits->list": lambda i: bits_of(i, 0, (~i if i < 0 else i).bit_length()),
    "(lambda (i) (vector->list (bits->vector i 9)))": lambda i: bits_of(i, 0, 9),
    "(lambda (i) (list->bits (bits->list i 140)))": lambda i: i % (1 << 140),
    "(lambda (i) (bitwise-fold cons '() i))": lambda i: bits_of(
        i, 0, (~i if i < 0 else i).bit_length()
    )[::-1],
    "(lambda (i) (let ((g (make-bitwise-generator i))) (list-tabulate 140 (lambda (k) (g)))))":
        lambda i: bits_of(i, 0, 140),
}
FIELD: dict[str, Callable[[int, int, int], Any]] = {
    "bit-field": lambda i, s, e: (i >> s) & field_mask(0, e - s),
    "bit-field-any?": lambda i, s, e: any(bits_of(i, s, e)),
    "bit-field-every?": lambda i, s, e: all(bits_of(i, s, e)),
    "bit-field-clear": lambda i, s, e: i & ~field_mask(s, e),
    "bit-field-set": lambda i, s, e: i | field_mask(s, e),
    "(lambda (i s e) (bit-field-replace i 91 s e))": lambda i, s, e: with_field(i, s, e, 91),
    "(lambda (i s e) (bit-field-replace-same i -92 s e))": lambda i, s, e: with_field(
        i, s, e, -92 >> s
    ),
    "(lambda (i s e) (bit-field-rotate i (- i 7) s e))": lambda i, s, e: rotated(i, i - 7, s, e),
    "bit-field-reverse": lambda i, s, e: with_field(i, s, e, of_bits(bits_of(i, s, e)[::-1])),
    "(lambda (i s e) (bit-swap s e i))": lambda i, s, e: (
        i if bits_of(i, s, s + 1) == bits_of(i, e, e + 1) else i ^ (1 << s) ^ (1 << e)
    ),
    "(lambda (i s e) (copy-bit s i (odd? e)))": lambda i, s, e: with_field(i, s, s + 1, e % 2),
    "(lambda (i s e) (bit-set? e i))": lambda i, s, e: bool(i >> e & 1),
}


@pytest.mark.parametrize("text", [*TWO, *ONE, *FIELD])
def test_bits_agree_with_python(session: lambent.Session, text: str) -> None:
    lisp = session.eval(text)

    @EXAMPLES
    @given(integers, integers, indices, indices)
    def agree(i: int, j: int, one: int, other: int) -> None:
        start, end = sorted((one, other))
        if text in TWO:
            assert lisp(i, j) == TWO[text](i, j)
        elif text in ONE:
            assert lisp(i) == ONE[text](i)
        else:
            assert lisp(i, start, end) == FIELD[text](i, start, end)

    agree()


# SRFI 143.

CARRIES: dict[str, Callable[[int, int, int], int]] = {
    "fx+/carry": lambda i, j, k: i + j + k,
    "fx-/carry": lambda i, j, k: i - j - k,
    "fx*/carry": lambda i, j, k: i * j + k,
}
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "fx+": lambda i, j: i + j,
    "fx-": lambda i, j: i - j,
    "fx*": lambda i, j: i * j,
    "(lambda (i j) (fxneg i))": lambda i, j: -i,
    "(lambda (i j) (fxabs i))": lambda i, j: abs(i),
}


@pytest.mark.parametrize("name", CARRIES)
def test_carries_hold_what_does_not_fit(session: lambent.Session, name: str) -> None:
    lisp = session.eval(name)

    @EXAMPLES
    @given(fixnums, fixnums, fixnums)
    def agree(i: int, j: int, k: int) -> None:
        low, carry = lisp(i, j, k)
        assert low + (carry << WIDTH) == CARRIES[name](i, j, k)
        assert -(2 ** (WIDTH - 1)) <= low < 2 ** (WIDTH - 1)

    agree()


@pytest.mark.parametrize("name", ARITHMETIC)
def test_fixnums_overflow_with_an_error(session: lambent.Session, name: str) -> None:
    lisp = session.eval(name)

    @EXAMPLES
    @given(fixnums, fixnums)
    def agree(i: int, j: int) -> None:
        exact = ARITHMETIC[name](i, j)
        if -(2 ** (WIDTH - 1)) <= exact < 2 ** (WIDTH - 1):
            assert lisp(i, j) == exact
            return
        with pytest.raises(lambent.LispError, match=f"the result is not a fixnum: {exact}"):
            lisp(i, j)

    agree()


# SRFI 132.

BY_KEY = "(lambda (a b) (< (car a) (car b)))"
SAME_KEY = "(lambda (a b) (= (car a) (car b)))"

Pairs = list[list[int]]


def key(pair: list[int]) -> int:
    return pair[0]


def sorts(a: Pairs, b: Pairs) -> Pairs:
    return sorted(a, key=key)


def merges(a: Pairs, b: Pairs) -> Pairs:
    return sorted([*sorted(a, key=key), *sorted(b, key=key)], key=key)


def in_place(name: str) -> str:
    return f"(lambda (a b) (let ((v (list->vector a))) ({name} {BY_KEY} v) (vector->list v)))"


def without_neighbors(a: Pairs, b: Pairs) -> Pairs:
    return [x for k, x in enumerate(a) if k == 0 or key(a[k - 1]) != key(x)]


def smallest(a: Pairs, b: Pairs) -> tuple[list[int], list[int]]:
    keys = sorted(map(key, a))
    return keys[: len(a) // 3], keys[len(a) // 3 :]


ORDERS: dict[str, Callable[[Pairs, Pairs], Any]] = {
    **{
        f"(lambda (a b) ({name} {BY_KEY} (list-copy a)))": sorts
        for name in ("list-sort", "list-stable-sort", "list-sort!", "list-stable-sort!")
    },
    **{
        f"(lambda (a b) (vector->list ({name} {BY_KEY} (list->vector a))))": sorts
        for name in ("vector-sort", "vector-stable-sort")
    },
    in_place("vector-sort!"): sorts,
    in_place("vector-stable-sort!"): sorts,
    f"(lambda (a b) (list-merge {BY_KEY} (list-sort {BY_KEY} a) (list-sort {BY_KEY} b)))": merges,
    f"(lambda (a b) (list-merge! {BY_KEY} (list-sort {BY_KEY} a) (list-sort {BY_KEY} b)))": merges,
    f"(lambda (a b) (vector->list (vector-merge {BY_KEY} (vector-sort {BY_KEY} (list->vector a))"
    f" (vector-sort {BY_KEY} (list->vector b)))))": merges,
    f"(lambda (a b) (list-sorted? {BY_KEY} a))": lambda a, b: a == sorted(a, key=key),
    f"(lambda (a b) (vector-sorted? {BY_KEY} (list->vector a)))": lambda a, b: (
        a == sorted(a, key=key)
    ),
    f"(lambda (a b) (list-delete-neighbor-dups {SAME_KEY} a))": without_neighbors,
    f"(lambda (a b) (let* ((v (list->vector a))"
    f" (end (vector-delete-neighbor-dups! {SAME_KEY} v))) (vector->list v 0 end)))":
        without_neighbors,
    "(lambda (a b) (vector-find-median < (list->vector (map car a)) 'none list))": lambda a, b: (
        "none" if not a
        else sorted(map(key, a))[len(a) // 2] if len(a) % 2
        else sorted(map(key, a))[len(a) // 2 - 1 : len(a) // 2 + 1]
    ),
    "(lambda (a b) (map (lambda (k) (vector-select! < (list->vector (map car a)) k))"
    " (iota (length a))))": lambda a, b: sorted(map(key, a)),
    "(lambda (a b) (let* ((v (list->vector (map car a))) (k (quotient (length a) 3)))"
    " (vector-separate! < v k)"
    " (values (list-sort < (vector->list v 0 k)) (list-sort < (vector->list v k)))))": smallest,
}


@pytest.mark.parametrize("text", ORDERS)
def test_sorts_agree_with_python(session: lambent.Session, text: str) -> None:
    """Python's sort is stable, too."""
    lisp = session.eval(text)

    @EXAMPLES
    @given(pairs, pairs)
    def agree(a: Pairs, b: Pairs) -> None:
        assert lisp(a, b) == ORDERS[text](a, b)

    agree()
