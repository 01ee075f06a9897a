"""The reader of sources and the printer of data: what only they have, and random data and text.

`tests/support/lexical_rules.py` has the rules that all readers share; test_read.py tests them.
"""

import math
import random
from dataclasses import fields, is_dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambent.lang.errors import IncompleteInput, LispError, SyntaxFault, render
from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Bytes,
    Character,
    Datum,
    Keyword,
    List,
    Number,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.layout import data_text
from lambent.lang.syntax.numerals import format_double, format_number, parse_number
from lambent.lang.syntax.plain_reader import read_plain
from lambent.lang.syntax.reader import read, read_by_grammar
from lambent.lang.syntax.source import Source, Span
from lambent.lang.syntax.text import to_text
from tests.suites.syntax.test_read import random_text
from tests.support.lexical_rules import FAULTS, INCOMPLETE, READS
from tests.support.paths import ROOT


def read_text(text: str) -> list[Datum]:
    return read(Source("t", text))


def written(text: str) -> str:
    return " ".join(to_text(datum) for datum in read_text(text))


# What only sources can have: tensor expressions, and a first line that names what runs the script.
SOURCES = [
    ("(f 'x [1 2.5]) ; why", "(f 'x [1 2.5])"),
    ("#(1 #(2) [3])", "#(1 #(2) [3])"),
    ("#!/usr/bin/env lambent\n(a)", "(a)"),
]


@pytest.mark.parametrize(("text", "expected"), SOURCES)
def test_sources_read(text: str, expected: str) -> None:
    assert written(text) == expected


SOURCE_FAULTS = [
    ("[a)", "t:1:3: [ opened at 1:1 is closed by )"),
]
INCOMPLETE_SOURCES = [
    ("(a (b)\n (c [", "t:2:5: unclosed ["),
]


@pytest.mark.parametrize(("text", "expected"), SOURCE_FAULTS)
def test_syntax_errors_have_a_location(text: str, expected: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        read_text(text)
    assert render(caught.value).splitlines()[0] == expected
    assert not isinstance(caught.value, IncompleteInput)


@pytest.mark.parametrize(("text", "expected"), INCOMPLETE_SOURCES)
def test_incomplete_input(text: str, expected: str) -> None:
    with pytest.raises(IncompleteInput) as caught:
        read_text(text)
    assert render(caught.value).splitlines()[0] == expected


def test_spans() -> None:
    (form,) = read_text("  (f 'x\n  \"a\")")
    assert isinstance(form, List)
    assert form.span.text == "(f 'x\n  \"a\")"
    assert [item.span.text for item in form.items] == ["f", "'x", '"a"']
    assert form.items[2].span.location == "t:2:3"


def test_deep_nesting_needs_no_stack() -> None:
    read_text("(" * 20_000 + ")" * 20_000)
    with pytest.raises(IncompleteInput):
        read_text("(" * 20_000)


DOUBLES = [
    (0.1, "0.1"), (100.0, "100.0"), (-0.0, "-0.0"), (0.0, "0.0"), (1.5, "1.5"), (-2.25, "-2.25"),
    (1e20, "100000000000000000000.0"), (1e21, "1e21"), (1.5e22, "1.5e22"), (1e-6, "0.000001"),
    (1e-7, "1e-7"), (1.25e-7, "1.25e-7"), (6.02214076e23, "6.02214076e23"), (5e-324, "5e-324"),
    (123456789.125, "123456789.125"), (2.0**53, "9007199254740992.0"),
    (1 / 3, "0.3333333333333333"),
    (1.7976931348623157e308, "1.7976931348623157e308"), (math.inf, "+inf.0"),
    (-math.inf, "-inf.0"), (math.nan, "+nan.0"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "expected"), DOUBLES)
def test_doubles_print(number: float, expected: str) -> None:
    assert format_double(number) == expected


@given(st.floats())
def test_doubles_read_back(number: float) -> None:
    back = parse_number(format_double(number))
    assert isinstance(back, float)
    assert back == number or (math.isnan(back) and math.isnan(number))
    assert math.copysign(1, back) == math.copysign(1, number) or math.isnan(number)


@given(st.integers() | st.fractions(), st.integers(2, 36))
def test_exact_numbers_read_back_in_every_radix(number: Fraction | int, radix: int) -> None:
    assert parse_number(format_number(number, radix), radix) == number


NO_NUMBERS = ["", "+", "-", ".", "1/", "/2", "1/0", "1e", "e5", "1.2.3", "٣", "1_0", " 1", "0x1",
              "\u212a", "1+i", "+i", "1@2", "#e+inf.0"]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_words_that_are_not_numbers(text: str) -> None:
    assert parse_number(text) is None


# Random data and text.

_NOWHERE = Span(Source("t", ""), 0, 0)
_WORD = st.text("abcxyz-+*/!?<>=.0123456789é", min_size=1, max_size=6)


def _containers(inner: st.SearchStrategy[Datum]) -> st.SearchStrategy[Datum]:
    items = st.lists(inner, max_size=4).map(tuple)
    filled = st.lists(inner, min_size=1, max_size=4).map(tuple)
    no_list = inner.filter(lambda datum: not isinstance(datum, List))
    return st.one_of(
        items.map(lambda i: List(i, None, _NOWHERE)),
        st.builds(lambda i, tail: List(i, tail, _NOWHERE), filled, no_list),
        items.map(lambda i: Vector(i, _NOWHERE)),
        items.map(lambda i: Brackets(i, _NOWHERE)),
        inner.map(lambda d: List((Symbol("unquote", _NOWHERE), d), None, _NOWHERE)),
    )


_ATOMS: st.SearchStrategy[Datum] = st.one_of(
    st.text(max_size=5).map(lambda name: Symbol(name, _NOWHERE)),
    _WORD.map(lambda name: Symbol(name, _NOWHERE)),
    _WORD.map(lambda name: Keyword(name, _NOWHERE)),
    st.integers().map(lambda n: Number(n, _NOWHERE)),
    st.fractions().map(lambda n: Number(n, _NOWHERE)),
    st.floats(allow_nan=False).map(lambda n: Number(n, _NOWHERE)),
    st.booleans().map(lambda b: Boolean(b, _NOWHERE)),
    st.text().map(lambda text: String(text, _NOWHERE)),
    st.characters(exclude_categories=["Cs"]).map(lambda char: Character(char, _NOWHERE)),
    st.binary(max_size=4).map(lambda data: Bytes(data, _NOWHERE)),
)
_DATA = st.recursive(_ATOMS, _containers, max_leaves=12)


@given(_DATA)
def test_what_is_written_reads_back(datum: Datum) -> None:
    assert read_text(to_text(datum)) == [datum]
    assert read_text(data_text([datum])) == [datum]


@given(st.text(st.sampled_from(list("ab1()[]\"'`,@;#|\\. \n:xt/e-+")), max_size=40) | st.text())
def test_any_text_reads_or_is_a_lisp_error(text: str) -> None:
    try:
        data = read_text(text)
    except LispError as error:
        render(error)
    else:
        assert read_text(" ".join(map(to_text, data))) == data or "nan" in text


# The reader without Lark.


def nodes(data: list[Datum]) -> list[tuple[str, int, int]]:
    """Every datum within data, with its span."""
    found: list[tuple[str, int, int]] = []
    waiting: list[object] = [*data]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += node
        elif is_dataclass(node):
            span = node.span
            found.append((type(node).__name__, span.start, span.end))
            waiting += [getattr(node, part.name) for part in fields(node) if part.name != "span"]
        else:
            found.append((repr(node), 0, 0))
    return found


def plain_result(text: str) -> bool:
    """Whether the plain reader takes a text; if so, the grammar gives the same data."""
    source = Source("t", text)
    plain = read_plain(source)
    if plain is None:
        return False
    assert nodes(plain) == nodes(read_by_grammar(source)), text
    return True


def test_plain_reader_equals_the_grammar(all_random: bool) -> None:
    """On the rules, on random pieces of syntax, on real sources with and without changes."""
    rng = random.Random(7)
    sources = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("stdlib/**/*.lisp"))]
    broken = [random_text(rng, sources) for _ in range(100_000 if all_random else 4000)]
    for text, _ in [*FAULTS, *INCOMPLETE]:
        assert not plain_result(text)
    taken = [plain_result(text) for text in [*(text for text, _ in READS), *broken]]
    assert 0.1 < sum(taken) / len(taken) < 0.9
    whole = sources if all_random else rng.sample(sources, 20)
    # A few have words between bars, or bytevectors, which the grammar reads.
    assert sum(plain_result(text) for text in whole) >= 0.8 * len(whole)
