"""Bounds: which accesses to vectors and strings have an index that is certainly inside.

    n = vector-length(v)
    loop i = 0
      done = i64.equal(i, n)
      if done ... else
        x = vector-ref(v, i)       i is at least 0, at most n, and not n: it is inside
        next = i64.add(i, one)     so next is at most n again
        recur(next)

Three facts are followed of an integer i: it is *natural* (0 or more), it is *at most* the length of
a vector or string, or it is *below* that.  They come from lengths, also those that `make-vector` is
given, from tests, and from accesses that have succeeded.  No length ever changes, so a fact holds
as long as both names do.  Of a loop's variables everything is assumed that holds where the loop
begins; what an iteration does not pass on is dropped, until the rest holds by induction.

`remove_bounds_checks` uses this, and the verifiers ask again.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar, assert_never

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    Convert,
    Dup,
    Free,
    Function,
    If,
    Literal,
    Loop,
    Operation,
    Recur,
    Statement,
    Yield,
)
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.ir.operands import may_yield
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.ranges import FIXNUMS, NATURALS, Range, literal_range, machine_range
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.syntax.datum import Boolean, Number
from lambent.lang.system.dataclass import dataclass, field

T = TypeVar("T")
Names = frozenset[str]
_NONE: Names = frozenset()


def accesses_inside(function: Function) -> frozenset[str]:
    """The names that are bound to accesses whose index is certainly inside."""
    if all(accessed(bind.operation) is None for bind in binds_in(function.body)):
        return frozenset()
    walk = _Walk(_objects_in(function))
    for parameter in function.parameters:
        walk.enter(parameter.name)
        walk.ranges[parameter.name] = parameter.range
        if parameter.range.low >= 0:
            walk.add(walk.natural, parameter.name)
    walk.block(function.body)
    return frozenset(walk.inside)


def accessed(operation: Operation) -> tuple[str, str] | None:
    """The object and the index that an operation accesses, if the index is a fixnum."""
    if not isinstance(operation, Apply) or operation.variant is None:
        return None
    if operation.variant.index is None or _type(operation) not in _MEASURED:
        return None
    return operation.arguments[0], operation.arguments[operation.variant.index]


_MEASURED = (Declared.VECTOR, Declared.STRING)


def _type(apply: Apply) -> Declared:
    """What its first argument must be."""
    return apply.primitive.signature.params[0].type


def _objects_in(function: Function) -> frozenset[str]:
    """The names of which some operation takes the length or an element."""
    return frozenset(
        bind.operation.arguments[0]
        for bind in binds_in(function.body)
        if isinstance(bind.operation, Apply)
        if accessed(bind.operation) is not None or bind.operation.primitive.measures
    )


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known of one integer."""

    natural: bool = False
    most: Names = _NONE
    below: Names = _NONE

    def meet(self, other: "_Facts") -> "_Facts":
        return _Facts(
            self.natural and other.natural, self.most & other.most, self.below & other.below
        )


@dataclass(slots=True)
class _Walk:
    """One walk through a function.

    candidates: the names that may hold vectors or strings.  integers, booleans, choices, tests,
    same, sums, ranges: by name, of constants, of `or` and `and`, of tests, of copies, of sums with
    a positive constant, and of parameters and loops' variables.  names: those in scope.  types: of
    the candidates that certainly hold such objects.  lengths: the objects of which a number is the
    length.  natural, most, below: the facts here.  undo: how to return to what was known before.
    settled: by label, what holds of a loop's variables.  ends: what the iterations of the loops
    around have passed on.
    """

    candidates: frozenset[str]
    integers: dict[str, int] = field(default_factory=dict)
    booleans: dict[str, bool] = field(default_factory=dict)
    choices: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    tests: dict[str, tuple[Machine, tuple[str, ...]]] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, Range] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    types: set[tuple[str, Declared]] = field(default_factory=set)
    lengths: dict[str, Names] = field(default_factory=dict)
    natural: set[str] = field(default_factory=set)
    most: dict[str, Names] = field(default_factory=dict)
    below: dict[str, Names] = field(default_factory=dict)
    undo: list[Callable[[], object]] = field(default_factory=list)
    settled: dict[str, list[_Facts]] = field(default_factory=dict)
    ends: dict[str, list[_Facts]] = field(default_factory=dict)
    inside: set[str] = field(default_factory=set)

    # Facts.

    def add(self, facts: set[T], fact: T) -> None:
        if fact not in facts:
            facts.add(fact)
            self.undo.append(partial(facts.discard, fact))

    def relate(self, facts: dict[str, Names], name: str, objects: Names) -> None:
        before = facts.get(name, _NONE)
        if not objects <= before:
            facts[name] = before | objects
            self.undo.append(partial(facts.__setitem__, name, before))

    def forget(self, mark: int) -> None:
        while len(self.undo) > mark:
            self.undo.pop()()

    def enter(self, name: str) -> None:
        """A name comes into scope."""
        self.add(self.names, name)

    def of(self, name: str) -> str:
        return self.same.get(name, name)

    def facts(self, name: str) -> _Facts:
        name = self.of(name)
        below = self.below.get(name, _NONE)
        most = self.most.get(name, _NONE)
        if (number := self.integers.get(name)) is None:
            return _Facts(name in self.natural, most, below)
        # No object is shorter than 0.
        everything = self.candidates & self.names if number <= 0 else _NONE
        return _Facts(number >= 0, most | everything, below | everything if number < 0 else below)

    def learn(self, name: str, facts: _Facts) -> None:
        name = self.of(name)
        if facts.natural:
            self.add(self.natural, name)
        self.relate(self.most, name, facts.most | facts.below)
        self.relate(self.below, name, facts.below)

    # Statements.

    def block(self, block: Block) -> None:
        mark = len(self.undo)
        for statement in block.statements:
            self.statement(statement)
        if isinstance(block.end, Recur):
            ends = self.ends[block.end.label]
            found = [self.facts(name) for name in block.end.arguments]
            ends[:] = [end.meet(other) for end, other in zip(ends, found, strict=True)]
        self.forget(mark)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Bind(name, operation=operation):
                self.bind(name, operation)
                self.enter(name)
            case If(name, _, test, then, orelse):
                self.branches(test, then, orelse)
                self.choices[name] = test, _yielded(then), _yielded(orelse)
                self.enter(name)
            case Loop(name):
                self.loop(statement)
                self.enter(name)
            case Free():
                pass
            case _:
                assert_never(statement)

    def branches(self, test: str, then: Block, orelse: Block) -> None:
        """Where a branch is left for good, the other one's test holds for what follows."""
        for block, holds in ((then, True), (orelse, False)):
            mark = len(self.undo)
            self.learn_test(test, holds)
            self.block(block)
            self.forget(mark)
        if may_yield(then) != may_yield(orelse):
            self.learn_test(test, may_yield(then))

    def loop(self, loop: Loop) -> None:
        """Walk through a loop until its iterations pass on all that they begin with."""
        inside = set(self.inside)
        facts = [self.start(variable.initial, variable.range) for variable in loop.variables]
        if (before := self.settled.get(loop.label)) is not None:
            facts = [one.meet(other) for one, other in zip(facts, before, strict=True)]
        while True:
            mark = len(self.undo)
            self.inside = set(inside)
            self.ends[loop.label] = list(facts)
            for variable, found in zip(loop.variables, facts, strict=True):
                self.enter(variable.name)
                self.ranges[variable.name] = variable.range
                self.learn(variable.name, found)
            self.block(loop.body)
            self.forget(mark)
            if self.ends[loop.label] == facts:
                break
            facts = self.ends[loop.label]
        self.settled[loop.label] = facts

    def start(self, initial: str, range_: Range) -> _Facts:
        facts = self.facts(initial)
        return _Facts(facts.natural or range_.low >= 0, facts.most, facts.below)

    # Operations.

    def bind(self, name: str, operation: Operation) -> None:
        match operation:
            case Literal(Number(int() as number)):
                self.same[name] = f"#{number}"  # equal constants have one name
                self.integers[self.same[name]] = number
            case Literal(Boolean(truth)):
                self.booleans[name] = truth
            case Convert(operand) | Dup(operand):
                self.same[name] = self.of(operand)
            case Apply(arguments=arguments):
                if operation.primitive.measures:
                    self.measure(name, self.of(arguments[0]), _type(operation))
                elif operation.primitive.sizes is not None:
                    self.measure(arguments[0], name, operation.primitive.sizes)
                self.access(name, operation)
                if operation.variant is not None and operation.variant.machine is not None:
                    self.compute(name, operation.variant.machine, arguments)

    def measure(self, length: str, measured: str, type_: Declared) -> None:
        """A number is the length of an object."""
        self.add(self.types, (measured, type_))
        self.relate(self.lengths, self.of(length), frozenset({measured}))
        self.learn(length, _Facts(True, frozenset({measured})))
        if (less := self.sums.get(self.of(length))) is not None:
            self.learn(less, _Facts(below=frozenset({measured})))

    def access(self, name: str, apply: Apply) -> None:
        if (found := accessed(apply)) is None:
            return
        holder, facts = self.of(found[0]), self.facts(found[1])
        if facts.natural and holder in facts.below and (holder, _type(apply)) in self.types:
            self.inside.add(name)
        self.add(self.types, (holder, _type(apply)))
        self.learn(found[1], _Facts(True, below=frozenset({holder})))

    def compute(self, name: str, code: Machine, arguments: tuple[str, ...]) -> None:
        if code.compares or code in _SIGN_TESTS:
            self.tests[name] = code, arguments
            return
        first = self.facts(arguments[0])
        number = self.integers.get(self.of(arguments[1])) if len(arguments) == 2 else None
        match code, number:
            case Machine.I64_ADD, 1:
                self.learn(name, _Facts(first.natural, first.below))
            case Machine.I64_ADD, None if self.integers.get(self.of(arguments[0])) == 1:
                second = self.facts(arguments[1])
                self.learn(name, _Facts(second.natural, second.below))
            case Machine.I64_SUBTRACT, int() if number > 0:
                self.learn(name, _Facts(below=first.most | first.below))
            case ((Machine.I64_QUOTIENT | Machine.I64_FLOOR_QUOTIENT), int()) if number > 0:
                if first.natural:
                    self.learn(name, first)
            case ((Machine.I64_MODULO | Machine.I64_REMAINDER), None):
                second = self.facts(arguments[1])
                if second.natural and (first.natural or code is Machine.I64_MODULO):
                    self.learn(name, _Facts(True, below=second.most | second.below))
        if code is Machine.I64_ADD and number is not None and number > 0:
            self.sums[name] = self.of(arguments[0])
        found = machine_range(code, [self.range(argument) for argument in arguments])
        if found is not None and not found.is_empty and found.low >= 0:
            self.learn(name, _Facts(True))

    def range(self, name: str) -> Range:
        number = self.integers.get(self.of(name))
        if number is not None:
            return literal_range(number)
        claimed = self.ranges.get(self.of(name), FIXNUMS)
        if self.of(name) in self.natural and claimed.low < 0:
            return NATURALS
        return claimed

    # Tests.

    def learn_test(self, test: str, holds: bool) -> None:
        """What is known in a branch of a test."""
        if test in self.choices:
            self.learn_choice(*self.choices[test], holds)
        if test not in self.tests:
            return
        code, names = self.tests[test]
        match code, holds, names:
            case (
                (Machine.I64_LESS, True, (a, b))
                | (Machine.I64_GREATER, True, (b, a))
                | (Machine.I64_GREATER_OR_EQUAL, False, (a, b))
                | (Machine.I64_LESS_OR_EQUAL, False, (b, a))
            ):
                self.less(a, b)
            case (
                (Machine.I64_LESS_OR_EQUAL, True, (a, b))
                | (Machine.I64_GREATER_OR_EQUAL, True, (b, a))
                | (Machine.I64_GREATER, False, (a, b))
                | (Machine.I64_LESS, False, (b, a))
            ):
                self.less_or_equal(a, b)
            case Machine.I64_EQUAL, True, (a, b):
                self.less_or_equal(a, b)
                self.less_or_equal(b, a)
            case Machine.I64_EQUAL, False, (a, b):
                self.different(a, b)
                self.different(b, a)
            case (Machine.I64_IS_NEGATIVE, False, (a,)) | (Machine.I64_IS_POSITIVE, True, (a,)):
                self.learn(a, _Facts(True))

    def learn_choice(self, test: str, then: str, orelse: str, holds: bool) -> None:
        """Of `(or a b)`, which is not true, or `(and a b)`, which is."""
        if self.booleans.get(then) is (not holds):
            self.learn_test(test, False)
            self.learn_test(orelse, holds)
        elif self.booleans.get(orelse) is (not holds):
            self.learn_test(test, True)
            self.learn_test(then, holds)

    def less(self, a: str, b: str) -> None:
        self.learn(a, _Facts(below=self.facts(b).most | self.facts(b).below))
        number = self.integers.get(self.of(a), -2)
        self.learn(b, _Facts(self.facts(a).natural or number >= -1))

    def less_or_equal(self, a: str, b: str) -> None:
        facts = self.facts(b)
        self.learn(a, _Facts(False, facts.most, facts.below))
        self.learn(b, _Facts(self.facts(a).natural))

    def different(self, a: str, b: str) -> None:
        """Of what is at most a length, and another number than it."""
        measured = self.lengths.get(self.of(b), _NONE)
        self.learn(a, _Facts(below=measured & self.facts(a).most))


def _yielded(block: Block) -> str:
    return block.end.name if isinstance(block.end, Yield) else ""


_SIGN_TESTS = (Machine.I64_IS_NEGATIVE, Machine.I64_IS_POSITIVE)
