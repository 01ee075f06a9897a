"""What inference knows about a name, and the typed forms of primitives that follow from it.

Kinds form a lattice: NOTHING below all (no value has come this way yet), ANYTHING above all.

A NUMBER may be anything, too, tensors included, but arithmetic is what waits for it: where it is a
double it has no box (runtime/rt_unboxed.h).

A COUNTER is a fixnum that began as a literal of at most 32 bits or as the size of an object, and
to which only literals of at most 3 bits have been added since.  It cannot leave the range of a
fixnum: that would take 2^58 additions, years of them.  So adding such a literal needs no check and
gives a counter again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from lambent.lang.compile.anf import FIXNUM_MAX, FIXNUM_MIN, Type
from lambent.lang.compile.wanted import number_variant
from lambent.lang.core.ir import Special
from lambent.lang.primitives import signature
from lambent.lang.primitives.signature import Signature
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.syntax.datum import Boolean, Datum, Number

_SMALL = 2**32
_STEP = 7
_EXACT_DOUBLE = 2**53  # integers up to here are doubles without rounding


class Kind(Enum):
    NOTHING = "nothing"
    COUNTER = "counter"
    FIXNUM = "fixnum"
    FLOAT = "float"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TENSOR = "tensor"
    ANYTHING = "anything"

    def join(self, other: "Kind") -> "Kind":
        """The least kind above both."""
        if self is other or other is Kind.NOTHING:
            return self
        if self is Kind.NOTHING:
            return other
        if {self, other} <= _INTEGERS:
            return Kind.FIXNUM
        return Kind.NUMBER if {self, other} <= _NUMBERS else Kind.ANYTHING

    @property
    def type(self) -> Type:
        """How C holds it."""
        return _TYPES[self]


_INTEGERS = {Kind.COUNTER, Kind.FIXNUM}
_UNBOXED_KINDS = {Kind.FLOAT, Kind.NUMBER}
_NUMBERS = _INTEGERS | _UNBOXED_KINDS
_TYPES = {
    Kind.NOTHING: Type.VALUE,
    Kind.COUNTER: Type.FIXNUM,
    Kind.FIXNUM: Type.FIXNUM,
    Kind.FLOAT: Type.FLOAT,
    Kind.NUMBER: Type.NUMBER,
    Kind.BOOLEAN: Type.BOOLEAN,
    Kind.TENSOR: Type.TENSOR,
    Kind.ANYTHING: Type.VALUE,
}
_RESULTS = {
    signature.Type.BOOLEAN: Kind.BOOLEAN,
    signature.Type.FIXNUM: Kind.COUNTER,  # a size, or the code of a character
    signature.Type.FLOAT: Kind.FLOAT,
    signature.Type.TENSOR: Kind.TENSOR,
    signature.Type.NUMBER: Kind.NUMBER,  # of variants only
}
# What a variant computes of fixnums may have any size, where what a primitive always gives counts.
_OF_VARIANT = {**_RESULTS, signature.Type.FIXNUM: Kind.FIXNUM}
_OF_PARAMETER = {
    signature.Type.VALUE: Type.VALUE,
    signature.Type.NUMBER: Type.NUMBER,
    signature.Type.FIXNUM: Type.FIXNUM,
    signature.Type.FLOAT: Type.FLOAT,
    signature.Type.BOOLEAN: Type.BOOLEAN,
    signature.Type.TENSOR: Type.TENSOR,
}
# A tensor among the arguments of these gives a tensor.
_TENSOR_IN_TENSOR_OUT = frozenset(
    ("rt_add", "rt_subtract", "rt_multiply", "rt_divide", "rt_negate", "rt_expt", "rt_max",
     "rt_min", "rt_abs", "rt_square", "rt_exp", "rt_log", "rt_sqrt", "rt_sin", "rt_cos", "rt_tan",
     "rt_tanh", "rt_asin", "rt_acos", "rt_atan", "rt_quotient", "rt_remainder", "rt_modulo",
     "rt_floor", "rt_ceiling", "rt_round", "rt_truncate")
)  # fmt: skip
_COUNTING = {
    symbol: Variant(
        Signature.parse("(a: fixnum, b: fixnum) -> fixnum"), f"({{0}} {sign} {{1}})", False
    )
    for symbol, sign in (("rt_add", "+"), ("rt_subtract", "-"))
}


@dataclass(frozen=True, slots=True)
class Argument:
    """What is known of an operand; literal is its value if it is a constant, name tells two
    operands apart."""

    kind: Kind
    literal: Datum | Special | None = None
    name: str = ""

    @property
    def integer(self) -> int | None:
        """The value of an exact literal integer."""
        match self.literal:
            case Number(int() as value):
                return value
        return None


@dataclass(frozen=True, slots=True)
class Choice:
    """How a primitive is called: the variant if there is one, and the type of each argument.

    kind is that of the result; becomes_tensor: it is a value that surely is a tensor.
    """

    variant: Variant | None
    types: tuple[Type, ...]
    kind: Kind
    becomes_tensor: bool = False


def literal_kind(value: Datum | Special) -> Kind:
    match value:
        case Number(int() as number) if abs(number) <= _SMALL:
            return Kind.COUNTER
        case Number(int() as number) if FIXNUM_MIN <= number <= FIXNUM_MAX:
            return Kind.FIXNUM
        case Number(float()):
            return Kind.FLOAT
        case Boolean():
            return Kind.BOOLEAN
        case _:
            return Kind.ANYTHING


def choose(
    primitive: Primitive, arguments: Sequence[Argument], wanted: bool = False
) -> Choice:
    """The cheapest form of a call that what is known of the arguments allows.

    wanted: arithmetic waits for the result.
    """
    if primitive.variants and any(a.kind is Kind.NOTHING for a in arguments):
        return Choice(None, _plain_types(primitive, len(arguments)), Kind.NOTHING)
    counting = _COUNTING.get(primitive.symbol)
    if counting is not None and (_counts(*arguments) or _counts_reversed(primitive, arguments)):
        return Choice(counting, (Type.FIXNUM, Type.FIXNUM), Kind.COUNTER)
    for variant in primitive.variants:
        types = tuple([_OF_PARAMETER.get(p.type, Type.VALUE) for p in variant.signature.params])
        if len(types) != len(arguments):
            continue
        if variant is number_variant(primitive):
            fits = _are_numbers(variant, types, arguments, wanted)
        else:
            fits = _fit(primitive, types, arguments)
        if fits:
            kind = _OF_VARIANT.get(variant.signature.result, Kind.ANYTHING)
            return Choice(variant, types, kind)
    types = _plain_types(primitive, len(arguments))
    if primitive.symbol in _TENSOR_IN_TENSOR_OUT and any(a.kind is Kind.TENSOR for a in arguments):
        return Choice(None, types, Kind.TENSOR, becomes_tensor=True)
    return Choice(None, types, _RESULTS.get(primitive.signature.result, Kind.ANYTHING))


def _counts(counter: Argument, step: Argument) -> bool:
    size = step.integer
    return counter.kind is Kind.COUNTER and size is not None and abs(size) <= _STEP


def _counts_reversed(primitive: Primitive, arguments: Sequence[Argument]) -> bool:
    """`(+ 1 i)`"""
    return primitive.symbol == "rt_add" and _counts(*reversed(arguments))


def _fit(primitive: Primitive, types: tuple[Type, ...], arguments: Sequence[Argument]) -> bool:
    """Whether the arguments have these types, or are integers among doubles."""
    if primitive.symbol in _COMPARISONS and arguments[0].name == arguments[1].name:
        return False  # C compilers warn of `i < i`
    same = [a.kind.type is type_ for a, type_ in zip(arguments, types, strict=True)]
    if all(same):
        return True
    if set(types) != {Type.FLOAT} or not any(same):
        return False
    return all(
        fits or _is_exact_double(primitive, argument)
        for fits, argument in zip(same, arguments, strict=True)
    )


def _are_numbers(
    variant: Variant, types: tuple[Type, ...], arguments: Sequence[Argument], wanted: bool
) -> bool:
    """Whether the form without boxes pays: one of the arguments has none, or the result should."""
    kinds = [a.kind for a, type_ in zip(arguments, types, strict=True) if type_ is Type.NUMBER]
    if not all(kind in _NUMBERS or kind is Kind.ANYTHING for kind in kinds):
        return False
    gives_number = variant.signature.result is signature.Type.NUMBER
    return any(kind in _UNBOXED_KINDS for kind in kinds) or (gives_number and wanted)


def _is_exact_double(primitive: Primitive, argument: Argument) -> bool:
    value = argument.integer
    if value is None:
        return argument.kind is Kind.COUNTER and primitive.symbol != "rt_divide"
    # An exact zero divides nothing.
    return abs(value) <= _EXACT_DOUBLE and (value != 0 or primitive.symbol != "rt_divide")


_COMPARISONS = frozenset(
    ("rt_equal_numbers", "rt_less", "rt_greater", "rt_less_or_equal", "rt_greater_or_equal")
)


def _plain_types(primitive: Primitive, count: int) -> tuple[Type, ...]:
    """The C types of the parameters without a variant: only tensors and booleans are unboxed."""
    types = [_plain(p.type) for p in primitive.signature.params[:count]]
    return (*types, *[Type.VALUE] * (count - len(types)))


def _plain(type_: signature.Type) -> Type:
    return _OF_PARAMETER[type_] if type_ in _UNBOXED else Type.VALUE


_UNBOXED = (signature.Type.TENSOR, signature.Type.BOOLEAN)


def may_be_tensor(primitive: Primitive) -> bool:
    """Whether what a primitive gives may be a tensor: operators, arithmetic, parts of data."""
    if primitive.signature.result is not signature.Type.VALUE:
        return primitive.signature.result is signature.Type.TENSOR
    symbol = primitive.symbol
    return not symbol.startswith(("rt_", "bridge_")) or symbol in _TENSOR_IN_TENSOR_OUT | _PARTS


_PARTS = frozenset(
    ("bridge_grad", "rt_car", "rt_cdr", "rt_cadr", "rt_caddr", "rt_list_ref", "rt_vector_ref")
)
