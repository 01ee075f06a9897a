"""Shapes: which objects names certainly hold at one point of a function, and so which fields exist.

    t1 = vector-ref(v, 3)          v is a vector of at least 4 elements from here on
    t2 = vector-ref(v, 1)    =>    t2 = known 1 of v, which cannot fail

What an operation has read a field of, what it has made, and what a test has found needs no test
again: an object keeps its kind, its size and its type.  `convert` uses these facts, and
`check_types` proves its result with them.
"""

from collections.abc import Hashable, Mapping

from lambent.lang.compile.ir.anf import Apply, Block, Dup, GlobalGet, Kept, Literal, Operation
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Container
from lambent.lang.syntax.datum import Number
from lambent.lang.system.dataclass import dataclass, field

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


_PAIR = Shape(Container.PAIR)


@dataclass(slots=True)
class Shapes:
    """One walk through a function.

    integers, types: the names of constants and of variables that hold record types.  known: the
    shapes here.  tests: by the name of the result, what was tested for which shape.  before: what
    was known before each change.
    """

    integers: dict[str, int] = field(default_factory=dict)
    types: dict[str, object] = field(default_factory=dict)
    known: dict[str, Shape] = field(default_factory=dict)
    tests: dict[str, tuple[str, Shape]] = field(default_factory=dict)
    before: list[tuple[str, Shape | None]] = field(default_factory=list)

    def mark(self) -> int:
        """A point of the walk to return to."""
        return len(self.before)

    def forget(self, mark: int) -> None:
        """Forget what was learned after a point."""
        while len(self.before) > mark:
            name, shape = self.before.pop()
            if shape is None:
                del self.known[name]
            else:
                self.known[name] = shape

    def learn(self, name: str, shape: Shape) -> None:
        before = self.known.get(name)
        if before is None or not before.has(shape):
            self.before.append((name, before))
            self.known[name] = shape

    def has_field(self, apply: Apply) -> bool:
        """Whether the object certainly has the field that an operation reads."""
        shape = self.read_shape(apply)
        if apply.field is not None and apply.field != self.field_read(apply):
            return False
        return shape is not None and self.has(apply.arguments[0], shape)

    def has(self, name: str, shape: Shape) -> bool:
        known = self.known.get(name)
        return known is not None and known.has(shape)

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
                if operand in self.known:
                    self.learn(name, self.known[operand])
            case Apply():
                self.apply(name, operation)

    def apply(self, name: str, apply: Apply) -> None:
        primitive, arguments = apply.primitive, apply.arguments
        for parameter, argument in zip(primitive.signature.params, arguments, strict=False):
            if parameter.type is Declared.PAIR:
                self.learn(argument, _PAIR)
        if primitive.indexes is not None and (shape := self.read_shape(apply)) is not None:
            self.learn(arguments[0], shape)
        if primitive.makes is not None:
            self.learn(name, self.shape(primitive.makes, arguments, len(arguments)))
        if primitive.tests is not None:
            types = arguments[1:]
            self.tests[name] = arguments[0], self.shape(primitive.tests, types, 0)

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
        if (tested := self.tests.get(test)) is not None:
            self.learn(*tested)


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
