"""The tests of `match` and what is known after them.

    after (pair? x):  (null? x) and (eqv? x 1) are false, and (pair? x) need not be tested again
"""

from collections.abc import Mapping, Sequence

from lambent.lang.core.forms.match_patterns import (
    DISJOINT_PREDICATES,
)
from lambent.lang.core.ir import Const, Core, If, Local, PrimCall
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import (
    Boolean,
    Bytes,
    Character,
    Datum,
    Keyword,
    List,
    Number,
    String,
    Symbol,
)
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field

_GROUPS = {name: names[0] for names in DISJOINT_PREDICATES for name in names}


@dataclass(frozen=True, slots=True)
class Is:
    """A predicate of one argument holds."""

    predicate: str


@dataclass(frozen=True, slots=True)
class Equals:
    """The object equals a literal."""

    datum: Datum
    text: str  # with the type, because 1 and 1.0 are equal for Python


@dataclass(frozen=True, slots=True)
class HasLength:
    """The vector has that length."""

    length: int


@dataclass(frozen=True, slots=True)
class IsRecord:
    """The object is a record of the type."""

    type: Core


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of several tests succeeds."""

    tests: "tuple[Test, ...]"


Test = Is | Equals | HasLength | IsRecord | AnyOf


def literal_test(datum: Datum) -> Test:
    if isinstance(datum, List):
        return Is("null?")
    return Equals(datum, f"{type(datum).__name__} {getattr(datum, 'value', datum)!r}")


def test_core(test: Test, position: str, span: Span) -> Core:
    """The test of the object at a position."""
    value = Local(position, span)
    match test:
        case Is(predicate):
            return PrimCall(TABLE[predicate], (value,), span)
        case Equals(datum):
            equal = "equal?" if isinstance(datum, String | Bytes) else "eqv?"
            return PrimCall(TABLE[equal], (value, Const(datum, span)), span)
        case HasLength(length):
            size = PrimCall(TABLE["vector-length"], (value,), span)
            return PrimCall(TABLE["="], (size, Const(Number(length, span), span)), span)
        case IsRecord(type_):
            return PrimCall(TABLE["%record?"], (value, type_), span)
        case AnyOf(tests):
            *others, last = [test_core(inner, position, span) for inner in tests]
            for other in reversed(others):
                last = If(other, Const(Boolean(True, span), span), last, span)
            return last


def are_disjoint(one: Test, other: Test) -> bool:
    """Whether no object passes both tests."""
    match one, other:
        case AnyOf(tests), _:
            return all(are_disjoint(test, other) for test in tests)
        case _, AnyOf(tests):
            return all(are_disjoint(one, test) for test in tests)
        case Equals(text=text), Equals(text=other_text):
            return text != other_text
        case HasLength(length), HasLength(other_length):
            return length != other_length
    groups = _group(one), _group(other)
    return None not in groups and groups[0] != groups[1]


def _group(test: Test) -> str | None:
    """A predicate that holds for all that passes the test; only one such holds for an object."""
    match test:
        case Is(predicate):
            return _GROUPS.get(predicate)
        case HasLength():
            return "vector?"
        case IsRecord():
            return "record?"
        case Equals(datum):
            return _LITERAL_GROUPS.get(type(datum))
    return None


_LITERAL_GROUPS: dict[type, str] = {
    Number: "number?",
    Boolean: "boolean?",
    String: "string?",
    Character: "char?",
    Symbol: "symbol?",
    Keyword: "keyword?",
    Bytes: "bytevector?",
}


def implies(one: Test, other: Test) -> bool:
    """Whether every object that passes the one test passes the other one."""
    match one, other:
        case AnyOf(tests), _:
            return all(implies(test, other) for test in tests)
        case _, AnyOf(tests):
            return any(implies(one, test) for test in tests)
        case Equals() | HasLength(), Is(predicate):
            return _group(one) == predicate
    return one == other


@dataclass(frozen=True, slots=True)
class _Known:
    """The tests of one object that have succeeded, and that have failed."""

    passed: frozenset[Test] = frozenset()
    failed: frozenset[Test] = frozenset()

    def result(self, test: Test) -> bool | None:
        """The result of a test if it is known."""
        if any(implies(known, test) for known in self.passed):
            return True
        if any(are_disjoint(known, test) for known in self.passed):
            return False
        if any(implies(test, known) for known in self.failed):
            return False
        if isinstance(test, AnyOf) and all(self.result(t) is False for t in test.tests):
            return False
        return None


_NOTHING = _Known()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the objects at positions, each the name of a local variable.

    fields: the positions of the fields that have been read.
    """

    known: Mapping[str, _Known] = field(default_factory=dict)
    fields: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def value(self, position: str, test: Test) -> bool | None:
        """The result of a test if it is known."""
        return self.known.get(position, _NOTHING).result(test)

    def after(self, position: str, test: Test, result: bool) -> "Facts":
        """The facts after a test."""
        known = self.known.get(position, _NOTHING)
        passed = known.passed | {test} if result else known.passed
        failed = known.failed if result else known.failed | {test}
        return Facts({**self.known, position: _Known(passed, failed)}, self.fields)

    def with_fields(self, fields: Mapping[tuple[str, str], str]) -> "Facts":
        return Facts(self.known, {**self.fields, **fields})


def common_facts(before: Facts, uses: Sequence[Facts]) -> Facts:
    """What is known at all uses of a continuation that is bound where `before` holds."""
    known: dict[str, _Known] = {}
    for position in uses[0].known:
        there = [use.known.get(position, _NOTHING) for use in uses]
        passed = frozenset.intersection(*[one.passed for one in there])
        failed = frozenset.intersection(*[one.failed for one in there])
        known[position] = _Known(passed, failed)
    return Facts(known, before.fields)
