"""What a version of some code for doubles would save: `split_doubles` asks before it makes one.

    t1 = vector-ref(v, 0)      1, if v is a vector of doubles
    t2 = *(t1, x)              1, if x is a double or an integer, too
    call f(v)                  1 for each double that it passes; v may hold anything from here on
"""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    If,
    Loop,
    Statement,
)
from lambent.lang.compile.ir.operands import may_yield
from lambent.lang.compile.types.abstract_types import UNKNOWN, AbstractType
from lambent.lang.compile.types.doubles_facts import operation_ends_doubles
from lambent.lang.compile.versions.likely_doubles import is_arithmetic, stores_number
from lambent.lang.system.dataclass import dataclass, field

_ITERATIONS = 4  # of a loop, likely


class Names(Protocol):
    """What is known of the names of a function."""

    def type_of(self, name: str) -> AbstractType: ...
    def is_vector(self, name: str) -> bool: ...


def element_of(name: str, apply: Apply) -> str | None:
    """The name of the element that an operation, which binds name, reads from a vector or stores
    in it."""
    if not any(variant.of_doubles for variant in apply.primitive.variants):
        return None
    return name if apply.primitive.projection is not None else apply.arguments[-1]


@dataclass(slots=True)
class Estimate:
    """doubles: the names that are doubles if the tests succeed.  vectors: those that hold doubles,
    as long as nothing ends that.  uses: how often these are read and written without a test.
    weight: how often code runs here."""

    names: Names
    doubles: set[str]
    vectors: set[str] = field(default_factory=set)
    uses: Counter[str] = field(default_factory=Counter)
    weight: int = 1

    @staticmethod
    def of(known: Names, tests: Sequence[str]) -> "Estimate":
        vectors = {name for name in tests if known.is_vector(name)}
        return Estimate(known, set(tests) - vectors, vectors)

    def count(self, statements: Sequence[Statement]) -> int:
        """How many operations know their operands, and did not before."""
        saved = 0
        for statement in statements:
            match statement:
                case Bind(name, operation=Apply() as apply):
                    saved += self.operation(name, apply)
                case Bind(operation=DirectCall(arguments=arguments)):
                    saved += self.passed(arguments)
                    self.vectors.clear()
                case Bind(operation=operation) if operation_ends_doubles(operation):
                    self.vectors.clear()
                case If(then=then, orelse=orelse):
                    saved += self.branches(then, orelse)
                case Loop():
                    saved += self.loop(statement)
        return saved

    def branches(self, *blocks: Block) -> int:
        saved, before, after = 0, set(self.vectors), set(self.vectors)
        for block in blocks:
            self.vectors = set(before)
            saved += self.block(block)
            if may_yield(block):
                after &= self.vectors
        self.vectors = after
        return saved

    def loop(self, loop: Loop) -> int:
        """What a loop's body saves, where its vectors are still what they were."""
        self.doubles |= {v.name for v in loop.variables if self.is_double(v.initial)}
        before = set(self.vectors), set(self.doubles), Counter(self.uses)
        self.weight *= _ITERATIONS
        saved = self.block(loop.body)
        if self.vectors != before[0]:
            kept = set(self.vectors)
            _, self.doubles, self.uses = before
            self.vectors = kept
            saved = self.block(loop.body)
        self.weight //= _ITERATIONS
        return saved

    def block(self, block: Block) -> int:
        saved = self.count(block.statements)
        if isinstance(block.end, DirectTailCall):
            saved += self.passed(block.end.arguments)
        return saved

    def passed(self, arguments: Sequence[str]) -> int:
        """How many doubles a call passes: it may be one of a clone."""
        return sum(name in self.doubles and self.was_unknown(name) for name in arguments)

    def operation(self, name: str, apply: Apply) -> int:
        if apply.arguments and apply.arguments[0] in self.vectors:
            return self.element(name, apply)
        if operation_ends_doubles(apply):
            self.vectors.clear()
        return self.arithmetic(name, apply)

    def element(self, name: str, apply: Apply) -> int:
        """An operation on a vector of doubles."""
        element = element_of(name, apply)
        if element == name:
            self.doubles.add(name)
        elif element is None or not self.is_double(element):
            if operation_ends_doubles(apply):
                self.vectors.clear()
            return 0
        self.uses[apply.arguments[0]] += self.weight
        return self.weight

    def arithmetic(self, name: str, apply: Apply) -> bool:
        if self.doubles.isdisjoint(apply.arguments):
            return False
        if not is_arithmetic(apply.primitive):
            return stores_number(apply.primitive) and self.was_unknown(apply.arguments[-1])
        if not all(self.is_double(n) or self.is_integer(n) for n in apply.arguments):
            return False
        self.doubles.add(name)
        return any(map(self.was_unknown, apply.arguments))

    def was_unknown(self, name: str) -> bool:
        return self.names.type_of(name) in UNKNOWN

    def is_double(self, name: str) -> bool:
        return name in self.doubles or self.names.type_of(name) is AbstractType.FLOAT

    def is_integer(self, name: str) -> bool:
        return self.names.type_of(name) in (AbstractType.COUNTER, AbstractType.FIXNUM)
