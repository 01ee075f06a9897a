"""Conversion of odd values between Python and Lisp: random ones, and chosen ones."""

import dataclasses
import datetime
import functools
import math
from collections import OrderedDict, UserDict, deque, namedtuple
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lambent
import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.lang.syntax.text import symbol_text

SESSION = lambent.Session()

texts = st.text(st.characters() | st.sampled_from("\ud800\udfff\0\n|\\:#;\"'() .é😀"), max_size=6)


class Colour(IntEnum):
    RED = 1


class Shape(Enum):
    ROUND = "round"


class Word(lambent.Symbol):
    pass


class OwnInt(int):
    pass


class OwnBytes(bytes):
    pass


@dataclasses.dataclass(frozen=True)
class Point:
    x: int


Pair = namedtuple("Pair", "first second")

NUMPYS = [
    np.int8(-3), np.uint64(2**64 - 1), np.float16(0.5), np.float32("nan"), np.float64("inf"),
    np.longdouble(1.5), np.clongdouble(1), np.complex64(1), np.bool_(False), np.str_("a\ud800"),
    np.bytes_(b"a"), np.datetime64("2020-01-01"), np.timedelta64(3), np.void(b"ab"),
    np.array(1.5), np.ones(2), np.array(["a"]), np.array([None]), np.zeros(0), np.ma.ones(2),
]
ODDITIES = [
    None, Ellipsis, NotImplemented, 10**5000, -(2**63), 2**63, math.nan, -0.0, math.inf, 1e-320,
    Decimal(1), 1j, Fraction(1, 3), Fraction(2, 1), Colour.RED, Shape.ROUND, Point(1), Pair(1, "b"),
    OwnInt(3), OwnBytes(b"a"), b"", bytearray(b"a"), memoryview(b"abc")[::2], range(3), range(0),
    {1, 2}, frozenset(), (x for x in [1]), iter([1]), deque([1]), OrderedDict(a=1), UserDict(b=2),
    MappingProxyType({"c": 3}), SimpleNamespace(x=1), datetime.date(2020, 1, 1), object(), int,
    np.ndarray, len, functools.partial(int, base=2), print, lambent, type, Word("w"),
    lambent.Keyword(""), lambent.Keyword("a b"), lambent.Symbol(""), lambent.Char("\0"),
    {None: 1, False: 2}, {1: 2, "1": 3}, {(): ()}, {math.nan: 1}, {Shape.ROUND: 1},
    lambent.eval("car"), lambent.eval("'(1 . 2)"), lambent.eval("(tensor 1)"),
    lambent.LispError("mine"), ValueError("a"),
]


def one_of(values: list[Any]) -> st.SearchStrategy[Any]:
    """One of the values, drawn by its index: not all of them can be hashed, or shown in a line."""
    return st.integers(0, len(values) - 1).map(values.__getitem__)


words = st.builds(lambent.Symbol, texts) | st.builds(lambent.Keyword, texts)
numbers = st.booleans() | st.integers() | st.floats()
atoms = numbers | texts | st.binary() | words | one_of(NUMPYS) | one_of(ODDITIES)
anything = st.recursive(
    atoms,
    lambda inner: st.lists(inner, max_size=3)
    | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(texts | st.integers() | st.floats() | words, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=300)
@given(anything)
def test_every_value_is_converted_or_refused_with_a_message(value: Any) -> None:
    try:
        back = SESSION.eval("x", x=value)
    except lambent.LispError as error:
        assert error.message
        assert "Traceback" not in str(error)
        assert error.location is None
        return
    again = SESSION.eval("(car (list x))", x=back)  # a converted value can be converted again
    assert type(again) is type(back)
    repr(back)


@settings(deadline=None, max_examples=200)
@given(texts, st.text(max_size=6))
@example("\ufeff", "x")
@example("self", "names")
def test_every_name_is_a_variable(name: str, other: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in name):
        for call in (lambda: SESSION.eval("1", {name: 1}), lambda: SESSION.define(name, 1)):
            with pytest.raises(ValueError, match="cannot hold a lone surrogate"):
                call()
        return
    written = symbol_text(name)
    assert SESSION.eval(written, {name: 1, other: 1}) == 1
    session = lambent.Session() if name in ("define", "quote", "list") else SESSION
    session.define(name, 2)
    assert session.eval(written) == 2
    assert session.eval(f"'{written}") == name


@settings(deadline=None, max_examples=100)
@given(texts)
@example("self")
@example("low")
def test_keywords_of_calls(name: str) -> None:
    take = SESSION.eval("(lambda (x :low 0) low)")
    try:
        assert take(1, **{name: 5}) == 5
    except lambent.LispError as error:
        assert error.message
        return
    assert name.replace("_", "-") == "low"


@settings(deadline=None, max_examples=100)
@given(texts)
def test_texts_of_programs(text: str) -> None:
    try:
        SESSION.eval(text)
    except (lambent.LispError, SystemExit) as error:
        assert "Traceback" not in str(error)


# Chosen values.


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: lambent.Char("ab"), ValueError, "takes one character, got 'ab'"),
        (lambda: lambent.Char(""), ValueError, "takes one character, got ''"),
        (lambda: lambent.Char("\ud800"), ValueError, r"takes one character, got '\\ud800'"),
        (lambda: lambent.Char(5), TypeError, "lambent.Char takes a str, got 5"),
        (lambda: lambent.Symbol(5), TypeError, "lambent.Symbol takes a str, got 5"),
        (lambda: lambent.Keyword(None), TypeError, "lambent.Keyword takes a str, got None"),
        (lambda: lambent.eval(5), TypeError, "takes a str of Lisp, got 5"),
        (lambda: lambent.eval(b"5"), TypeError, "takes a str of Lisp, got b'5'"),
        (lambda: lambent.eval("x", {5: 3}), TypeError, "the name of a variable is a str, not 5"),
        (lambda: SESSION.define(None, 3), TypeError, "name of a variable is a str, not None"),
        (lambda: lambent.eval("1", {"\udc00": 3}), ValueError, "cannot hold a lone surrogate"),
        (lambda: lambent.eval('"a\ud800"'), lambent.LispError, r"surrogate U\+D800 at index 2"),
        (lambda: lambent.eval("x", x="a\udfff"), lambent.LispError, r"string .* U\+DFFF at index"),
        (lambda: lambent.eval("x", x=[lambent.Symbol("\ud800")]), lambent.LispError, "a symbol"),
        (lambda: lambent.eval("x", x={None: 1, False: 2}), lambent.LispError, "are equal in Lisp"),
        (lambda: lambent.eval("x", x=np.clongdouble(1)), lambent.LispError, "has no counterpart"),
        (lambda: lambent.eval("x", x={1, 2}), lambent.LispError, "pass a list of its elements"),
        (lambda: lambent.eval("(f :a 1 :a 2)", f=dict), lambent.LispError, "keyword :a is given"),
    ],
)
def test_refused_values(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Word("w"), "w"), (OwnInt(3), "3"), (OwnBytes(b"a"), "#u8(97)"), (Colour.RED, "1"),
        (memoryview(b"abc")[::2], "#u8(97 99)"), (np.longdouble(1.5), "1.5"),
        (Pair(1, 2), "#(1 2)"),
        (np.str_("a"), '"a"'), (np.bytes_(b"a"), "#u8(97)"), (lambent.Symbol(""), "||"),
        (MappingProxyType({"c": 3}), '#<hash-table "c": 3>'), (int, "#<procedure int>"),
        (np.float32("nan"), "+nan.0"), (np.uint64(2**64 - 1), str(2**64 - 1)), (-0.0, "-0.0"),
    ],
)
def test_accepted_values(value: Any, shown: str) -> None:
    assert lambent.eval('(format "~s" x)', x=value) == shown


def test_keys_that_are_equal_in_python() -> None:
    for keys in ("1 #t", "1 1.0", "'a \"a\"", "':a 'a", "#\\a \"a\""):
        fill = f"(for-each (lambda (k) (hash-set! t k k)) (list {keys}))"
        table = lambent.eval(f"(let ((t (make-hash-table))) {fill} t)")
        assert isinstance(table, lambent.Object)
        assert lambent.eval("(hash-size t)", t=table) == 2


def test_shared_objects_stay_shared() -> None:
    row: list[Any] = [1]
    assert lambent.eval("(eq? (car x) (cadr x))", x=[row, row]) is True
    one, two = lambent.eval("(let ((row (list 1))) (list row row))")
    assert one is two
    empty = lambent.eval("(list '() '())")
    assert empty[0] is not empty[1]
    deep: Any = []
    for _ in range(200):  # 2 to the 200th lists, if they were not shared
        deep = [deep, deep]
    back = lambent.eval("x", x=deep)
    for _ in range(199):
        assert back[0] is back[1]
        back = back[0]
    assert back == [[], []]


def test_deep_nesting() -> None:
    deep: Any = []
    for _ in range(20_000):
        deep = [deep]
    back = lambent.eval("x", x=deep)
    depth = 0
    while back:
        back, depth = back[0], depth + 1
    assert depth == 20_000


def test_cycles_through_every_container() -> None:
    table: dict[str, Any] = {}
    table["self"] = [table]
    row: list[Any] = []
    row.append((row,))
    for cycle in (table, row):
        with pytest.raises(lambent.LispError, match="contains itself"):
            lambent.eval("x", x=cycle)
    for text in (
        "(let ((p (list 1 2))) (set-cdr! (cdr p) p) p)",
        "(let ((t (make-hash-table))) (hash-set! t 1 t) t)",
        "(let ((v (vector 1))) (vector-set! v 0 (list v)) (list 1 v))",
    ):
        cycle = lambent.eval(text)
        assert isinstance(cycle, lambent.Object)
        assert lambent.eval("(eq? x x)", x=cycle) is True


# Through callbacks.


def test_raised_objects_pass_through_python() -> None:
    def inner() -> object:
        return SESSION.eval("\n (raise 'oops)")

    text = "(guard (e ((symbol? e) (list 'caught e))) (f))"
    assert SESSION.eval(text, f=inner) == ["caught", "oops"]
    with pytest.raises(lambent.LispError) as caught:
        SESSION.eval("(f)", f=inner)
    assert caught.value.payload == "oops"
    assert caught.value.location == ("python", 2, 2)
    text = "(guard (e (#t (error-object-irritants e))) (f))"
    assert SESSION.eval(text, f=lambda: SESSION.eval('(error "bad" 1 2)')) == [1, 2]


def test_exceptions_of_every_kind() -> None:
    class HostileError(Exception):
        def __str__(self) -> str:
            raise KeyError("no text")

    for error, message in (
        (HostileError(), "f: HostileError"),
        (ValueError("a\ud800"), r"f: ValueError: a\ud800"),
        (lambent.LispError("mine"), "mine"),
    ):
        def f(error: Exception = error) -> None:
            raise error

        text = "(guard (e (#t (error-object-message e))) (f))"
        assert SESSION.eval(text, f=f) == message


@pytest.mark.parametrize("code", [None, 0, 3, "words"])
def test_exits_keep_their_code(code: Any) -> None:
    def leaves() -> None:
        raise SystemExit(code)

    with pytest.raises(SystemExit) as caught:
        SESSION.eval("(f)", f=leaves)
    assert caught.value.code == code
