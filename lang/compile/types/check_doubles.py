"""The verifier of vectors of doubles: what reads or writes one is where a test has found it.

    if fits                        fits = v is doubles(3)
      t1 = vector-ref(v, 2)
      call f(v)
      t2 = vector-ref(v, 0)        DoublesError: main: v may hold other values, at: t2 = ...

It does not ask inference, which has chosen these operations: it walks through each function with
what the tests around have found, and with what operations end.
"""

from typing import NoReturn

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Dup,
    Function,
    HaveTypes,
    Operation,
)
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.ir.forward import Forward
from lambent.lang.compile.ir.known import Known
from lambent.lang.compile.ir.proved import unproved
from lambent.lang.compile.ir.shapes import constant_integers
from lambent.lang.compile.ir.text import place_text
from lambent.lang.compile.types.bounds import accesses_inside
from lambent.lang.compile.types.doubles_facts import (
    learned,
    operation_ends_doubles,
)
from lambent.lang.system.dataclass import dataclass, field


class DoublesError(Exception):
    """An operation on a vector of doubles that may be another vector: a bug of the compiler."""


def check_doubles(program: Anf, proved: Anf | None = None) -> None:
    """Raise DoublesError unless all operations on vectors of doubles get some.

    proved: the program before the last pass, if that has been proved.
    """
    for function in unproved(program, proved):
        if _has_operations_on_doubles(function):
            _Checker(function).check()


def _has_operations_on_doubles(function: Function) -> bool:
    return any(_is_of_doubles(bind.operation) for bind in binds_in(function.body))


def _is_of_doubles(operation: Operation) -> bool:
    return (
        isinstance(operation, Apply)
        and operation.variant is not None
        and operation.variant.of_doubles
    )


@dataclass(slots=True)
class _Checker(Forward[str, int]):
    """One walk through one function.  What is known of a name is the least length of the vector of
    doubles that it holds.

    tests: by the name of the result.  inside: the accesses whose index is known to be, once
    somebody has asked.
    """

    function: Function
    tests: dict[str, HaveTypes] = field(default_factory=dict)
    integers: dict[str, int] = field(default_factory=dict)
    inside: frozenset[str] | None = None

    def check(self) -> None:
        self.integers = constant_integers(self.function.body)
        self.begin(Known(min))
        self.block(self.function.body)

    def test(self, name: str, holds: bool) -> None:
        if holds and (test := self.tests.get(name)) is not None:
            for operand, length in learned(self.known.facts, test).items():
                self.known.learn(operand, length)

    def bind(self, bind: Bind) -> None:
        match bind.operation:
            case Apply() as apply if _is_of_doubles(apply):
                self.require(bind, apply)
            case HaveTypes() as test:
                self.tests[bind.name] = test
            case Dup(operand) if operand in self.known.facts:
                self.known.learn(bind.name, self.known.facts[operand])
            case operation if self.known.facts and operation_ends_doubles(operation):
                self.known.clear()

    def require(self, bind: Bind, apply: Apply) -> None:
        assert apply.variant is not None and apply.variant.index is not None
        length = self.known.facts.get(apply.arguments[0])
        index = self.integers.get(apply.arguments[apply.variant.index])
        if length is None:
            self.fail(f"{apply.arguments[0]} may hold other values")
        if not apply.variant.fails and not self.is_inside(bind, index, length):
            self.fail(f"the index of {apply.arguments[0]} is not below {length}")

    def is_inside(self, bind: Bind, index: int | None, length: int) -> bool:
        if index is not None and 0 <= index < length:
            return True
        if self.inside is None:
            self.inside = accesses_inside(self.function)
        return bind.name in self.inside

    def fail(self, message: str) -> NoReturn:
        raise DoublesError(f"{self.function.name}: {message}, at: {place_text(self.where)}")
