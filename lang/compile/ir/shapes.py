"""Shapes: what names certainly hold at one point of a function, and so which fields exist.

    t1 = vector-ref(v, 3)          v is a vector of at least 4 elements from here on
    t2 = vector-ref(v, 1)    =>    t2 = known 1 of v, which cannot fail

What an operation has read a field of, what it has made, and what a test has found needs no test
again: an object keeps its kind, its size and its type.  `convert` uses these facts, and
`check_types` proves its result with them.
"""

from collections.abc import Hashable, Mapping

from lambent.lang.compile.ir.anf import (
    Apply,
    Block,
    Dup,
    GlobalGet,
    HaveTypes,
    Kept,
    Literal,
    Operation,
    Representation,
)
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.ir.known import Known
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Container
from lambent.lang.syntax.datum import Number
from lambent.lang.system.dataclass import dataclass, field, replace

# A field of a pair, `car` or `cdr`, or the index of one of a vector or a record.
Field = str | int


@dataclass(frozen=True, slots=True)
class Shape:
    """size: the least number of a vector's elements.  type: what holds a record's type."""

    container: Container
    size: int = 0
    type: Hashable = None

    def has(self, read: "Shape") -> bool:
        """Whether an object of this shape has the field that one of the other shape has."""
        return (self.container, self.type) == (read.container, read.type) and (
            self.size >= read.size
        )

    def both(self, other: "Shape") -> "Shape | None":
        """What an object certainly is that is of this shape or of the other one."""
        shorter = self if self.size < other.size else other
        return shorter if self.has(shorter) and other.has(shorter) else None


@dataclass(frozen=True, slots=True)
class Held:
    """What a name certainly holds: an object of these shapes, a value that fits these types.

    There are several shapes where two variables hold a record's type, or where one test contradicts
    another.
    """

    shapes: frozenset[Shape] = frozenset()
    fits: frozenset[Representation] = frozenset()

    def both(self, other: "Held") -> "Held":
        found = [one.both(another) for one in self.shapes for another in other.shapes]
        shapes = frozenset([shape for shape in found if shape is not None])
        return Held(shapes, self.fits & other.fits)

    def has(self, shape: Shape) -> bool:
        return any(known.has(shape) for known in self.shapes)


def _of(shape: Shape) -> Held:
    return Held(frozenset([shape]))


_NOTHING = Held()
_PAIR = Shape(Container.PAIR)


@dataclass(slots=True)
class Shapes:
    """One walk through a function.

    integers, types: the names of constants and of variables that hold record types.  known: what
    names hold here.  tests: by the name of the result, what names hold if it has succeeded.
    """

    integers: dict[str, int] = field(default_factory=dict)
    types: dict[str, object] = field(default_factory=dict)
    known: Known[str, Held] = field(default_factory=lambda: Known(Held.both))
    tests: dict[str, list[tuple[str, Held]]] = field(default_factory=dict)

    def learn(self, name: str, held: Held) -> None:
        before = self.known.facts.get(name, _NOTHING)
        after = replace(before, fits=before.fits | held.fits) if held.fits else before
        for shape in held.shapes:
            if not after.has(shape):
                others = [known for known in after.shapes if not shape.has(known)]
                after = replace(after, shapes=frozenset([*others, shape]))
        if after is not before:
            self.known.learn(name, after)

    def has_field(self, apply: Apply) -> bool:
        """Whether the object certainly has the field that an operation reads."""
        shape = self.read_shape(apply)
        if apply.field is not None and apply.field != self.field_read(apply):
            return False
        return shape is not None and self.has(apply.arguments[0], shape)

    def has(self, name: str, shape: Shape) -> bool:
        return self.known.facts.get(name, _NOTHING).has(shape)

    def has_shape(self, name: str) -> bool:
        return bool(self.known.facts.get(name, _NOTHING).shapes)

    def fits(self, name: str, type_: Representation) -> bool:
        """Whether a test has found that a value fits a type."""
        return type_ in self.known.facts.get(name, _NOTHING).fits

    def field_read(self, apply: Apply) -> Field | None:
        return field_read(apply, self.integers)

    def read_shape(self, apply: Apply) -> Shape | None:
        """What an object must be at least, so that it has the field that an operation reads."""
        read = self.field_read(apply)
        match apply.primitive.indexes:
            case _ if apply.primitive.pair_field is not None:
                return _PAIR
            case Container.VECTOR if isinstance(read, int) and read >= 0:
                return Shape(Container.VECTOR, read + 1)
            case Container.RECORD if read is not None:
                return self.record(apply.arguments[1])
        return None

    def record(self, type_: str) -> Shape:
        return Shape(Container.RECORD, type=self.types.get(type_, type_))

    def bind(self, name: str, operation: Operation) -> None:
        """What is known once an operation has succeeded."""
        match operation:
            case Literal(Number(int() as number)):
                self.integers[name] = number
            case GlobalGet(variable, namespace, owned=False):
                self.types[name] = namespace, variable
            case Dup(operand):
                self.types[name] = self.types.get(operand, operand)
                self.learn(name, self.known.facts.get(operand, _NOTHING))
            case HaveTypes(names, types):
                pairs = zip(names, types, strict=False)
                fit = [(n, t) for n, t in pairs if isinstance(t, Representation)]
                self.tests[name] = [(n, Held(fits=frozenset([t]))) for n, t in fit]
            case Apply():
                self.apply(name, operation)

    def apply(self, name: str, apply: Apply) -> None:
        primitive, arguments = apply.primitive, apply.arguments
        for parameter, argument in zip(primitive.signature.params, arguments, strict=False):
            if parameter.type is Declared.PAIR:
                self.learn(argument, _of(_PAIR))
        if primitive.indexes is not None and (shape := self.read_shape(apply)) is not None:
            self.learn(arguments[0], _of(shape))
        if primitive.makes is not None:
            self.learn(name, _of(self.shape(primitive.makes, arguments, len(arguments))))
        if primitive.tests is not None:
            types = arguments[1:]
            self.tests[name] = [(arguments[0], _of(self.shape(primitive.tests, types, 0)))]

    def shape(self, container: Container, types: tuple[str, ...], size: int) -> Shape:
        match container:
            case Container.RECORD:
                return self.record(types[0])
            case Container.VECTOR:
                return Shape(container, size)
            case Container.PAIR:
                return _PAIR

    def succeed(self, test: str) -> None:
        """What is known in the branch where a test has succeeded."""
        for name, held in self.tests.get(test, ()):
            self.learn(name, held)


def field_read(apply: Apply, integers: Mapping[str, int]) -> Field | None:
    """The field that an operation reads, if that is known.  integers: the names of constants."""
    primitive = apply.primitive
    if primitive.pair_field is not None:
        return primitive.pair_field
    if primitive.indexes is None:
        return None
    return integers.get(apply.arguments[1 if primitive.indexes is Container.VECTOR else 2])


def field_of(name: str, apply: Apply, integers: Mapping[str, int]) -> Kept | None:
    """The field that an operation reads into a name."""
    read = field_read(apply, integers)
    return None if read is None else Kept(name, apply.primitive.indexes or Container.PAIR, read)


def constant_integers(body: Block) -> dict[str, int]:
    """The names of a function that are integer constants."""
    return {
        bind.name: bind.operation.value.value
        for bind in binds_in(body)
        if isinstance(bind.operation, Literal)
        and isinstance(bind.operation.value, Number)
        and isinstance(bind.operation.value.value, int)
    }
