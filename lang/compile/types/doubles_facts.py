"""Vectors of doubles: where a test has found a vector to be one, and nothing has ended that since.

    fits = v is doubles(3)
    if fits
      t1 = vector-ref(v, 0)        reads a double
      vector-set!(v, 2, t1)        stores one, so v still holds doubles
      call f(v)                    may store anything
      t2 = vector-ref(v, 0)        may read anything

`infer` and the verifier `check_doubles` go through the program with such a state.  A vector of
doubles becomes a plain one only where boxes are allocated, which the record of effects tells.
"""

from collections.abc import Iterable, Mapping
from functools import reduce

from lambent.lang.compile.ir.anf import (
    Apply,
    DirectCall,
    Doubles,
    HaveTypes,
    Operation,
    Representation,
)
from lambent.lang.compile.ir.operation_effects import effects_of
from lambent.lang.primitives.effects import Allocation, Effects, Memory
from lambent.lang.system.dataclass import dataclass, field

# The least lengths of the vectors that are known to hold doubles here, by name.
Lengths = Mapping[str, int]


def ends_doubles(effects: Effects) -> bool:
    """Whether an operation of these effects may make a vector of doubles a plain one."""
    touched = effects.reads | effects.writes
    return effects.may_call or (
        Memory.VECTOR in touched and Allocation.NUMBERS in effects.allocates
    )


def operation_ends_doubles(operation: Operation) -> bool:
    """The same for any operation but a primitive, whose variant may not be chosen yet."""
    if isinstance(operation, DirectCall):
        return True
    effects = effects_of(operation, Representation.VALUE, tensors=True)
    return ends_doubles(effects)


def learned(known: Lengths, test: HaveTypes | None) -> Lengths:
    """What is known where a test has succeeded."""
    if test is None:
        return known
    pairs = zip(test.operands, test.types, strict=True)
    tested = {name: type_.length for name, type_ in pairs if isinstance(type_, Doubles)}
    return {**known, **{name: max(n, known.get(name, 0)) for name, n in tested.items()}}


def both(first: Lengths, second: Lengths) -> Lengths:
    """What is known by either way of coming to a place."""
    if first is second:
        return first
    return {name: min(n, second[name]) for name, n in first.items() if name in second}


def joined(before: Lengths, ends: Iterable[Lengths | None]) -> Lengths:
    """What is known after branches.  before: what was known before the test.  ends: and where each
    branch yields; None if it never does."""
    return reduce(both, [known for known in ends if known is not None], before)


@dataclass(slots=True)
class DoublesFacts:
    """lengths: by function and name of the result, of the vectors that operations read or write.
    loops: what is known where a loop's iterations begin, by function and label."""

    lengths: dict[tuple[str, str], int] = field(default_factory=dict)
    loops: dict[tuple[str, str], Lengths] = field(default_factory=dict)


@dataclass(slots=True)
class DoublesState:
    """What is known at one place of a function.  tests: by the name of the result."""

    facts: DoublesFacts
    function: str
    known: Lengths = field(default_factory=dict)
    tests: dict[str, HaveTypes] = field(default_factory=dict)

    def begin(self, label: str) -> None:
        """A loop begins."""
        key = self.function, label
        self.known = both(self.facts.loops.get(key, self.known), self.known)
        self.facts.loops[key] = self.known

    def begin_again(self, label: str) -> bool:
        """An iteration ends; whether less is known than where the loop began."""
        key = self.function, label
        before = self.facts.loops[key]
        after = both(before, self.known)
        self.facts.loops[key] = after
        return after != before

    def read(self, name: str, apply: Apply) -> int | None:
        """The length of the vector of doubles that an operation reads or writes, which binds name;
        None if nothing is known of it."""
        length = self.known.get(apply.arguments[0]) if apply.arguments else None
        key = self.function, name
        if length is None:
            self.facts.lengths.pop(key, None)
        elif any(variant.of_doubles for variant in apply.primitive.variants):
            self.facts.lengths[key] = length
            return length
        return None

    def pass_effects(self, effects: Effects) -> None:
        if self.known and ends_doubles(effects):
            self.known = {}

    def pass_operation(self, name: str, operation: Operation) -> None:
        """Another operation, which binds name."""
        if isinstance(operation, HaveTypes):
            self.tests[name] = operation
        elif self.known and operation_ends_doubles(operation):
            self.known = {}
