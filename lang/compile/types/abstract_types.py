"""Abstract types: what inference knows about the value of a name.

They form a lattice: NOTHING is below all (no value has reached the name yet), ANYTHING above all.

A NUMBER, too, may be any value, even a tensor, but arithmetic uses it: a double among these values
has no box (runtime/rt_unboxed.h).

A COUNTER is a fixnum that began as a literal of at most 32 bits or as the size of an object, and to
which only literals of at most 3 bits have been added.  It cannot leave COUNTED (ranges.py): that
would take 2^57 additions, which is years.  So adding such a literal needs no check, and the sum is
a counter again.
"""

from enum import Enum

from lambent.lang.compile.ir.anf import Representation
from lambent.lang.core.ir import Special
from lambent.lang.primitives import signature
from lambent.lang.primitives.ranges import FIXNUMS, Range
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, Datum, Number
from lambent.lang.system.dataclass import dataclass

_SMALL = 2**32


class AbstractType(Enum):
    __hash__ = object.__hash__  # Enum has one in Python, which takes long

    NOTHING = "nothing"
    COUNTER = "counter"
    FIXNUM = "fixnum"
    FLOAT = "float"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TENSOR = "tensor"
    ANYTHING = "anything"

    def join(self, other: "AbstractType") -> "AbstractType":
        """The least abstract type above both."""
        if self is other or other is AbstractType.NOTHING:
            return self
        if self is AbstractType.NOTHING:
            return other
        if self in INTEGERS and other in INTEGERS:
            return AbstractType.FIXNUM
        return (
            AbstractType.NUMBER if self in NUMBERS and other in NUMBERS else AbstractType.ANYTHING
        )

    @property
    def representation(self) -> Representation:
        """How C holds it."""
        return _TYPES[self]


INTEGERS = {AbstractType.COUNTER, AbstractType.FIXNUM}
UNBOXED_TYPES = {AbstractType.FLOAT, AbstractType.NUMBER}
NUMBERS = INTEGERS | UNBOXED_TYPES
# What may be a double, a fixnum or a tensor, as a test at run time can tell.
UNKNOWN = {AbstractType.ANYTHING, AbstractType.NUMBER}
_TYPES = {
    AbstractType.NOTHING: Representation.VALUE,
    AbstractType.COUNTER: Representation.FIXNUM,
    AbstractType.FIXNUM: Representation.FIXNUM,
    AbstractType.FLOAT: Representation.FLOAT,
    AbstractType.NUMBER: Representation.NUMBER,
    AbstractType.BOOLEAN: Representation.BOOLEAN,
    AbstractType.TENSOR: Representation.TENSOR,
    AbstractType.ANYTHING: Representation.VALUE,
}


# What a value is whose test for a representation has succeeded.
REFINED = {
    Representation.FIXNUM: AbstractType.FIXNUM,
    Representation.FLOAT: AbstractType.FLOAT,
    Representation.TENSOR: AbstractType.TENSOR,
}


@dataclass(frozen=True, slots=True)
class Argument:
    """The facts about an operand.  literal: its value if it is a constant.  name: two operands with
    the same name are the same value.  range: of an integer.  is_integer: it is certainly an exact
    integer, of any size."""

    abstract_type: AbstractType
    literal: Datum | Special | None = None
    name: str = ""
    range: Range = FIXNUMS
    is_integer: bool = False

    @property
    def integer(self) -> int | None:
        """The value of an exact literal integer."""
        match self.literal:
            case Number(int() as value):
                return value
        return None


def literal_type(value: Datum | Special) -> AbstractType:
    match value:
        case Number(int() as number) if abs(number) <= _SMALL:
            return AbstractType.COUNTER
        case Number(int() as number) if number in FIXNUMS:
            return AbstractType.FIXNUM
        case Number(float()):
            return AbstractType.FLOAT
        case Boolean():
            return AbstractType.BOOLEAN
        case _:
            return AbstractType.ANYTHING


def is_generic(primitive: Primitive) -> bool:
    """Whether it is arithmetic whose result is a tensor if an argument is one."""
    signature_ = primitive.signature
    takes_number = bool(signature_.params) and signature_.params[0].type is signature.Type.NUMBER
    returns_value = signature_.result is signature.Type.VALUE
    return primitive.effects.on_tensors and takes_number and returns_value
