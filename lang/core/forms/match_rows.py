"""The rows that `match` decides between, and what happens if none of them matches.

    (match x ((1 a) a))  =>  Row(((x, Pair(Literal 1, ...)),), {}, the leaf that is the body)

A row is a clause with the patterns that are still to be tested, each at a position: a local
variable that holds the object.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from lambent.lang.core.denotation import Key
from lambent.lang.core.forms.match_patterns import Pattern
from lambent.lang.core.forms.match_tests import Facts
from lambent.lang.core.ir import Call, Const, Core, Global, Lambda, Local, Namespace, PrimCall
from lambent.lang.core.scope import Env
from lambent.lang.core.traverse import walk
from lambent.lang.syntax.datum import Number
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass

# The positions of a row's variables.
Bindings: TypeAlias = "dict[Key, str]"


class Failure(Protocol):
    """What happens if no row matches."""

    def core(self, facts: Facts) -> Core: ...


@dataclass(frozen=True, slots=True)
class Error:
    """The end of all rows."""

    code: Callable[[], Core]

    def core(self, _: Facts) -> Core:
        return self.code()


class Continuation:
    """The code of the rows after some; it collects what is known at its uses."""

    def __init__(self, name: str, span: Span) -> None:
        self.name = name
        self.span = span
        self.uses: list[Facts] = []

    def core(self, facts: Facts) -> Core:
        self.uses.append(facts)
        return Call(Local(self.name, self.span), (), self.span)


@dataclass(frozen=True, slots=True)
class Leaf:
    """What a row that matches becomes.  may_fail: it may go on with the rows after it."""

    code: Callable[[Bindings, Facts, Failure], Core]
    may_fail: bool


@dataclass(frozen=True, slots=True)
class Row:
    pending: tuple[tuple[str, Pattern], ...]
    bindings: Bindings
    leaf: Leaf


class Decider(Protocol):
    """What the steps of one row ask of the decisions of a form (`match_decisions.py`).

    origins: for each position that a pattern reads, the code that reads it.
    """

    env: Env
    span: Span
    origins: dict[str, Core]

    def decide(self, rows: Sequence[Row], facts: Facts, failure: Failure) -> Core: ...

    def with_continuation(
        self, body: Callable[[Failure], Core], rest: Callable[[Facts], Core], facts: Facts
    ) -> Core: ...

    def procedure(self, parameters: Sequence[str], body: Core) -> Lambda: ...

    def read(
        self,
        reads: Sequence[tuple[str, Core, Pattern]],
        row: Row,
        others: Sequence[tuple[str, Pattern]],
        facts: Facts,
        failure: Failure,
    ) -> Core: ...


def uses(name: str, code: Core) -> int:
    """How often a continuation is called."""
    return sum(isinstance(node, Local) and node.name == name for node in walk(code))


def is_small(code: Core) -> bool:
    """Whether a copy costs no more than a call."""
    match code:
        case Const() | Local() | Call(Local(), ()):
            return True
        case PrimCall(_, operands):
            return all(isinstance(operand, Const | Local) for operand in operands)
    return False


def name_of(key: Key) -> str:
    return key if isinstance(key, str) else key.name


def number(value: int, span: Span) -> Core:
    return Const(Number(value, span), span)


def library(name: str, span: Span, *arguments: Core) -> Core:
    return Call(Global(name, Namespace.LIBRARY, span), arguments, span)
