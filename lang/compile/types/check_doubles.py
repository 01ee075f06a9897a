"""The verifier of vectors of doubles: what reads or writes one is where a test has found it.

    if fits                        fits = v is doubles(3)
      t1 = vector-ref(v, 2)
      call f(v)
      t2 = vector-ref(v, 0)        DoublesError: main: v may hold other values, at: t2 = ...

It does not ask inference, which has chosen these operations: it walks through each function with
what the tests around have found, and with what operations end.
"""

from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Dup,
    Free,
    Function,
    HaveTypes,
    If,
    Literal,
    Loop,
    Operation,
    Recur,
    Statement,
)
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.ir.operands import may_yield
from lambent.lang.compile.ir.proved import unproved
from lambent.lang.compile.ir.text import place_text
from lambent.lang.compile.types.bounds import accesses_inside
from lambent.lang.compile.types.doubles_facts import (
    Lengths,
    both,
    joined,
    learned,
    operation_ends_doubles,
)
from lambent.lang.syntax.datum import Number
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
class _Checker:
    """One walk through one function.

    known: the vectors of doubles here.  tests: by the name of the result.  iterations: what is
    known where the iterations of the loops around begin, by label.  inside: the accesses whose
    index is known to be, once somebody has asked.  error: the first one.
    """

    function: Function
    known: Lengths = field(default_factory=dict)
    tests: dict[str, HaveTypes] = field(default_factory=dict)
    integers: dict[str, int] = field(default_factory=dict)
    iterations: dict[str, Lengths] = field(default_factory=dict)
    inside: frozenset[str] | None = None
    error: str | None = None

    def check(self) -> None:
        self.block(self.function.body)
        if self.error is not None:
            raise DoublesError(f"{self.function.name}: {self.error}")

    def block(self, block: Block) -> Lengths | None:
        """What is known where the block yields; None if it never comes to that."""
        for statement in block.statements:
            self.statement(statement)
        if isinstance(block.end, Recur):
            label = block.end.label
            self.iterations[label] = both(self.iterations[label], self.known)
        return self.known if may_yield(block) else None

    def statement(self, statement: Statement) -> None:
        match statement:
            case Bind(name, _, operation):
                self.operation(statement, operation)
                self.learn(name, operation)
            case If(_, _, test, then, orelse):
                before = self.known
                self.known = learned(before, self.tests.get(test))
                ends = [self.block(then)]
                self.known = before
                ends.append(self.block(orelse))
                self.known = joined(before, ends)
            case Loop(label=label, body=body):
                self.loop(label, body)
            case Free():
                pass
            case _:
                assert_never(statement)

    def loop(self, label: str, body: Block) -> None:
        """Walk through a loop until its iterations end with all that they begin with."""
        before, error = self.known, self.error
        while True:
            self.known, self.iterations[label], self.error = before, before, error
            after = self.block(body)
            if self.iterations[label] == before:
                break
            before = self.iterations[label]
        self.known = before if after is None else after

    def operation(self, statement: Bind, operation: Operation) -> None:
        if isinstance(operation, Apply) and _is_of_doubles(operation):
            self.require(statement, operation)
        elif self.known and operation_ends_doubles(operation):
            self.known = {}

    def require(self, statement: Bind, apply: Apply) -> None:
        assert apply.variant is not None and apply.variant.index is not None
        length = self.known.get(apply.arguments[0])
        index = self.integers.get(apply.arguments[apply.variant.index])
        if length is None:
            self.fail(statement, f"{apply.arguments[0]} may hold other values")
        elif not apply.variant.fails and not self.is_inside(statement, index, length):
            self.fail(statement, f"the index of {apply.arguments[0]} is not below {length}")

    def is_inside(self, statement: Bind, index: int | None, length: int) -> bool:
        if index is not None and 0 <= index < length:
            return True
        if self.inside is None:
            self.inside = accesses_inside(self.function)
        return statement.name in self.inside

    def fail(self, statement: Bind, message: str) -> None:
        if self.error is None:
            self.error = f"{message}, at: {place_text(statement)}"

    def learn(self, name: str, operation: Operation) -> None:
        match operation:
            case HaveTypes():
                self.tests[name] = operation
            case Literal(Number(int() as number)):
                self.integers[name] = number
            case Dup(operand) if operand in self.known:
                self.known = {**self.known, name: self.known[operand]}
