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

`simplify` uses this, and the verifiers ask again.
"""

from collections.abc import Sequence

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    Convert,
    Dup,
    Function,
    If,
    Literal,
    Loop,
    LoopVariable,
    Operation,
    Yield,
)
from lambent.lang.compile.ir.blocks import Target, binds_in
from lambent.lang.compile.ir.forward import Forward
from lambent.lang.compile.ir.known import Known
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.ranges import FIXNUMS, NATURALS, Range, literal_range, machine_range
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.syntax.datum import Boolean, Number
from lambent.lang.system.dataclass import dataclass, field

Names = frozenset[str]
_NONE: Names = frozenset()


def accesses_inside(function: Function) -> frozenset[str]:
    """The names that are bound to accesses whose index is certainly inside."""
    if all(accessed(bind.operation) is None for bind in binds_in(function.body)):
        return frozenset()
    walk = _Walk(_objects_in(function))
    walk.begin(Known(_Facts.meet))
    for parameter in function.parameters:
        walk.enter(parameter.name, parameter.range)
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
    """What is known of a name: that it is a natural number, or at most or below the lengths of
    objects, or just that; that it is an object that has a length, a vector or a string."""

    natural: bool = False
    most: Names = _NONE
    below: Names = _NONE
    lengths: Names = _NONE
    types: frozenset[Declared] = frozenset()

    def meet(self, other: "_Facts") -> "_Facts":
        return _Facts(
            self.natural and other.natural,
            self.most & other.most,
            self.below & other.below,
            self.lengths & other.lengths,
            self.types & other.types,
        )

    def join(self, other: "_Facts") -> "_Facts":
        return _Facts(
            self.natural or other.natural,
            self.most | other.most | other.below,
            self.below | other.below,
            self.lengths | other.lengths,
            self.types | other.types,
        )


_NOTHING = _Facts()


@dataclass(slots=True)
class _Walk(Forward[str, _Facts]):
    """One walk through a function.  Something is known of each name in scope.

    candidates: the names that may hold vectors or strings.  integers, booleans, choices, tests,
    same, sums, ranges: by name, of constants, of `or` and `and`, of tests, of copies, of sums with
    a positive constant, and of parameters and loops' variables.  inside: the accesses that are.
    """

    candidates: frozenset[str]
    integers: dict[str, int] = field(default_factory=dict)
    booleans: dict[str, bool] = field(default_factory=dict)
    choices: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    tests: dict[str, tuple[Machine, tuple[str, ...]]] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, Range] = field(default_factory=dict)
    inside: set[str] = field(default_factory=set)

    # Facts.

    def of(self, name: str) -> str:
        return self.same.get(name, name)

    def facts(self, name: str) -> _Facts:
        name = self.of(name)
        facts = self.known.facts.get(name, _NOTHING)
        if (number := self.integers.get(name)) is None:
            return facts
        if number > 0:
            return facts.join(_Facts(True))
        # No object is shorter than 0.
        objects = frozenset(filter(self.known.facts.__contains__, self.candidates))
        return facts.join(_Facts(True, objects) if number == 0 else _Facts(below=objects))

    def learn(self, name: str, facts: _Facts) -> None:
        name = self.of(name)
        before = self.known.facts.get(name)
        after = (before or _NOTHING).join(facts)
        if after != before:
            self.known.learn(name, after)

    def enter(self, name: str, range_: Range = FIXNUMS) -> None:
        """A name comes into scope."""
        self.ranges[name] = range_
        self.learn(name, _Facts(range_.low >= 0))

    # Statements.

    def bind(self, bind: Bind) -> None:
        self.operation(bind.name, bind.operation)
        self.learn(bind.name, _NOTHING)

    def bound(self, statement: If | Loop) -> None:
        if isinstance(statement, If):
            ends = _yielded(statement.then), _yielded(statement.orelse)
            self.choices[statement.name] = statement.test, *ends
        self.learn(statement.name, _NOTHING)

    def flow(self, names: Sequence[str], targets: Sequence[Target]) -> None:
        found = [self.facts(name) for name in names]
        for target, facts in zip(targets, found, strict=True):
            if isinstance(target, LoopVariable):
                passed = _Facts(facts.natural, facts.most, facts.below)
                self.known.put(target.name, passed)
                self.enter(target.name, target.range)

    # Operations.

    def operation(self, name: str, operation: Operation) -> None:
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
        objects = frozenset({measured})
        self.learn(measured, _Facts(types=frozenset({type_})))
        self.learn(length, _Facts(True, objects, lengths=objects))
        if (less := self.sums.get(self.of(length))) is not None:
            self.learn(less, _Facts(below=objects))

    def access(self, name: str, apply: Apply) -> None:
        if (found := accessed(apply)) is None:
            return
        holder, facts, type_ = self.of(found[0]), self.facts(found[1]), _type(apply)
        if facts.natural and holder in facts.below and type_ in self.facts(holder).types:
            self.inside.add(name)
        else:
            self.inside.discard(name)  # which an earlier walk through a loop did not know
        self.learn(holder, _Facts(types=frozenset({type_})))
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
                    self.learn(name, _Facts(True, first.most, first.below))
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
        return NATURALS if claimed.low < 0 and self.facts(name).natural else claimed

    # Tests.

    def test(self, test: str, holds: bool) -> None:
        """Learn from a test and, once each, from those that it is made of."""
        waiting, seen = [(test, holds)], set[tuple[str, bool]]()
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                self.learn_test(*one)
                waiting += reversed(self.parts(*one))

    def learn_test(self, test: str, holds: bool) -> None:
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

    def parts(self, choice: str, holds: bool) -> list[tuple[str, bool]]:
        """What `(or a b)` that is not true, or `(and a b)` that is, says of a and b."""
        if choice not in self.choices:
            return []
        test, then, orelse = self.choices[choice]
        if self.booleans.get(then) is (not holds):
            return [(test, False), (orelse, holds)]
        if self.booleans.get(orelse) is (not holds):
            return [(test, True), (then, holds)]
        return []

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
        self.learn(a, _Facts(below=self.facts(b).lengths & self.facts(a).most))


def _yielded(block: Block) -> str:
    return block.end.name if isinstance(block.end, Yield) else ""


_SIGN_TESTS = (Machine.I64_IS_NEGATIVE, Machine.I64_IS_POSITIVE)
