"""The cheapest variant of a primitive for the abstract types of its arguments.

    (+ x 1)               with a float x   =>  the C expression `x + 1.0`
    (tensor-sum x :dim 0) with a tensor x  =>  ct_aten_sum_dim_IntList(x, ...)   (typed_calls.py)
"""

from collections.abc import Sequence
from enum import Enum
from functools import cache

from lambent.lang.compile.ir.anf import Representation
from lambent.lang.compile.types.abstract_types import (
    INTEGERS,
    NUMBERS,
    UNBOXED_TYPES,
    AbstractType,
    Argument,
    is_generic,
)
from lambent.lang.compile.types.typed_calls import is_typed, typed_call
from lambent.lang.primitives import signature
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.ranges import FIXNUMS, NATURAL, Range, counted, machine_range
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.primitives.typed import returns_a_tensor
from lambent.lang.system.dataclass import dataclass, replace

_EXACT_DOUBLE = 2**53  # integers up to here are doubles without rounding
_EXACT_AS_DOUBLE = Range(-_EXACT_DOUBLE, _EXACT_DOUBLE)
_RESULTS = {
    signature.Type.BOOLEAN: AbstractType.BOOLEAN,
    signature.Type.FIXNUM: AbstractType.COUNTER,  # a size, or the code of a character
    signature.Type.FLOAT: AbstractType.FLOAT,
    signature.Type.TENSOR: AbstractType.TENSOR,
    signature.Type.NUMBER: AbstractType.NUMBER,  # of variants only
}
# A fixnum that a variant computes may have any size; one that a primitive returns is a counter.
_OF_VARIANT = {**_RESULTS, signature.Type.FIXNUM: AbstractType.FIXNUM}
_OF_PARAMETER = {
    signature.Type.VALUE: Representation.VALUE,
    signature.Type.NUMBER: Representation.NUMBER,
    signature.Type.FIXNUM: Representation.FIXNUM,
    signature.Type.FLOAT: Representation.FLOAT,
    signature.Type.BOOLEAN: Representation.BOOLEAN,
    signature.Type.TENSOR: Representation.TENSOR,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """How a primitive is called: the variant if there is one, and how C holds each argument.

    abstract_type: of the result.  becomes_tensor: the result is a value that is certainly a tensor.
    taken: the indices of the arguments that the variant takes; the others are constants in its
    code.  range: of the result, if it is an integer.
    """

    variant: Variant | None
    types: tuple[Representation, ...]
    abstract_type: AbstractType
    becomes_tensor: bool = False
    taken: tuple[int, ...] | None = None
    range: Range = FIXNUMS


def choose(
    primitive: Primitive,
    arguments: Sequence[Argument],
    demanded: bool = False,
    field_type: AbstractType | None = None,
    doubles: int | None = None,
) -> Choice:
    """The cheapest variant for what is known of the arguments.

    demanded: arithmetic uses the result, so it should have no box.  field_type: what the field
    holds that the primitive reads, if that is known.  doubles: the least length of the first
    argument, if that is known to be a vector of doubles.
    """
    if field_type is AbstractType.NOTHING:
        return Choice(None, _plain_types(primitive, len(arguments)), AbstractType.NOTHING)
    if primitive.variants and any(a.abstract_type is AbstractType.NOTHING for a in arguments):
        return Choice(None, _plain_types(primitive, len(arguments)), AbstractType.NOTHING)
    for candidate in _candidates(primitive):
        variant, types = candidate.variant, candidate.types
        if len(types) != len(arguments):
            continue
        match candidate.takes:
            case _Takes.DOUBLES:
                fits = doubles is not None and _fits_doubles(variant, types, arguments, doubles)
            case _Takes.FIELD:
                fits = field_type is AbstractType.FLOAT
            case _Takes.INTEGER:
                fits = _fit_integer(variant, types, arguments)
            case _Takes.NUMBERS:
                fits = _are_numbers(variant, types, arguments, demanded)
            case _Takes.REPRESENTATIONS:
                fits = _fit(primitive, variant, types, arguments)
        if fits and candidate.computes_fixnum:
            found = _integer(variant, arguments)
            if found is not None:
                simpler = _without_signs(variant, arguments)
                return Choice(simpler, types, found[0], range=found[1])
        elif fits:
            return _of_variant(primitive, variant, types, arguments)
    types = _plain_types(primitive, len(arguments))
    if is_typed(primitive):
        return _choose_operator(primitive, arguments, types)
    if any(a.abstract_type is AbstractType.TENSOR for a in arguments) and is_generic(primitive):
        return Choice(None, types, AbstractType.TENSOR, becomes_tensor=True)
    result = _RESULTS.get(primitive.signature.result, AbstractType.ANYTHING)
    return Choice(None, types, result, range=primitive.range)


class _Takes(Enum):
    """What decides whether a variant fits: a vector of doubles, the type of the field that it
    reads, which arguments are numbers, whether one is an exact integer, or the representations of
    all arguments."""

    DOUBLES = "doubles"
    FIELD = "field"
    NUMBERS = "numbers"
    INTEGER = "integer"
    REPRESENTATIONS = "representations"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A variant, and what of it does not depend on the call."""

    variant: Variant
    types: tuple[Representation, ...]
    takes: _Takes
    computes_fixnum: bool


@cache
def _candidates(primitive: Primitive) -> tuple[_Candidate, ...]:
    """The variants that a call may have, the cheapest first."""
    return tuple(
        [
            _Candidate(v, _types(v.signature), _takes(v), _computes_fixnum(v))
            for v in primitive.variants
            if not v.inside
        ]
    )


def _types(of: signature.Signature) -> tuple[Representation, ...]:
    return tuple([_OF_PARAMETER.get(p.type, Representation.VALUE) for p in of.params])


def _takes(variant: Variant) -> _Takes:
    if variant.of_doubles:
        return _Takes.DOUBLES
    if _reads_double(variant):
        return _Takes.FIELD
    if any(p.type is signature.Type.INTEGER for p in variant.signature.params):
        return _Takes.INTEGER
    return _Takes.NUMBERS if _is_of_numbers(variant) else _Takes.REPRESENTATIONS


def _choose_operator(
    primitive: Primitive, arguments: Sequence[Argument], types: tuple[Representation, ...]
) -> Choice:
    if any(a.abstract_type is AbstractType.NOTHING for a in arguments):
        return Choice(None, types, AbstractType.NOTHING)
    found = typed_call(primitive, arguments)
    if found is None:
        surely = returns_a_tensor(primitive.symbol)
        return Choice(
            None,
            types,
            AbstractType.TENSOR if surely else AbstractType.ANYTHING,
            becomes_tensor=surely,
        )
    variant, taken = found
    types = tuple([_OF_PARAMETER[p.type] for p in variant.signature.params])
    return Choice(variant, types, AbstractType.TENSOR, taken=taken)


def _is_of_numbers(variant: Variant) -> bool:
    """Whether it takes or returns numbers of any type."""
    types = {parameter.type for parameter in variant.signature.params}
    return signature.Type.NUMBER in types or variant.signature.result is signature.Type.NUMBER


def _of_variant(
    primitive: Primitive,
    variant: Variant,
    types: tuple[Representation, ...],
    arguments: Sequence[Argument],
) -> Choice:
    result = variant.signature.result
    if result is primitive.signature.result:
        found = _RESULTS.get(result, AbstractType.ANYTHING)
        return Choice(variant, types, found, range=primitive.range)
    found = _OF_VARIANT.get(result, AbstractType.ANYTHING)
    if variant.computes is None:
        return Choice(variant, types, found)
    range_ = machine_range(variant.computes, [argument.range for argument in arguments])
    return Choice(variant, types, found, range=range_ or FIXNUMS)


def _computes_fixnum(variant: Variant) -> bool:
    return isinstance(variant.code, Machine) and variant.signature.result is signature.Type.FIXNUM


def _integer(
    variant: Variant, arguments: Sequence[Argument]
) -> tuple[AbstractType, Range] | None:
    """The abstract type and the range of what an operation of the machine computes from integers;
    None if the result may not fit a fixnum."""
    assert isinstance(variant.code, Machine)
    ranges = [argument.range for argument in arguments]
    if (counter := counted(variant.code, ranges)) is not None:
        return AbstractType.COUNTER, counter
    found = machine_range(variant.code, ranges)
    return None if found is None else (AbstractType.FIXNUM, found)


def _without_signs(variant: Variant, arguments: Sequence[Argument]) -> Variant:
    """The variant, or one for integers that are not negative, for which all rounding is alike."""
    assert isinstance(variant.code, Machine)
    natural = NATURAL.get(variant.code)
    if natural is None or any(argument.range.low < 0 for argument in arguments):
        return variant
    return replace(variant, code=natural)


def _fit(
    primitive: Primitive,
    variant: Variant,
    types: tuple[Representation, ...],
    arguments: Sequence[Argument],
) -> bool:
    """Whether the arguments have these representations, or are integers among doubles."""
    compares = isinstance(variant.code, Machine) and variant.code.compares
    if compares and len(arguments) == 2 and arguments[0].name == arguments[1].name:
        return False  # C compilers warn about `i < i`
    # The object that has an element, and a new element, are values.
    same = [
        a.abstract_type.representation is representation
        or (variant.index is not None and representation is Representation.VALUE)
        for a, representation in zip(arguments, types, strict=True)
    ]
    if all(same):
        return True
    if set(types) != {Representation.FLOAT} or not any(same):
        return False
    return all(
        fits or _is_exact_as_double(primitive, argument)
        for fits, argument in zip(same, arguments, strict=True)
    )


def _fit_integer(
    variant: Variant, types: tuple[Representation, ...], arguments: Sequence[Argument]
) -> bool:
    """Whether the arguments are exact integers, or have these representations."""
    return all(
        argument.is_integer
        if parameter.type is signature.Type.INTEGER
        else argument.abstract_type.representation is representation
        for parameter, argument, representation in zip(
            variant.signature.params, arguments, types, strict=True
        )
    )


def _fits_doubles(
    variant: Variant,
    types: tuple[Representation, ...],
    arguments: Sequence[Argument],
    length: int,
) -> bool:
    """Whether the arguments after the vector of doubles have these representations, and the index
    is a constant below the length if the variant cannot fail."""
    assert variant.index is not None, variant
    index = arguments[variant.index].integer
    return (variant.fails or (index is not None and 0 <= index < length)) and all(
        a.abstract_type.representation is representation
        for a, representation in zip(arguments[1:], types[1:], strict=True)
    )


def _reads_double(variant: Variant) -> bool:
    """Whether it reads a double from an object."""
    signature_ = variant.signature
    return bool(variant.effects.reads) and signature_.result is signature.Type.FLOAT


def _are_numbers(
    variant: Variant,
    types: tuple[Representation, ...],
    arguments: Sequence[Argument],
    demanded: bool,
) -> bool:
    """Whether the variant without boxes pays: an argument has no box, or the result should not."""
    if any(
        representation is Representation.FIXNUM and a.abstract_type not in INTEGERS
        for a, representation in zip(arguments, types, strict=True)
    ):
        return False
    abstract_types = [
        a.abstract_type
        for a, representation in zip(arguments, types, strict=True)
        if representation is Representation.NUMBER
    ]
    if not all(
        abstract_type in NUMBERS or abstract_type is AbstractType.ANYTHING
        for abstract_type in abstract_types
    ):
        return False
    returns_number = variant.signature.result is signature.Type.NUMBER
    return any(abstract_type in UNBOXED_TYPES for abstract_type in abstract_types) or (
        returns_number and demanded
    )


def _is_exact_as_double(primitive: Primitive, argument: Argument) -> bool:
    value = argument.integer
    if value is None:
        is_small = argument.abstract_type is AbstractType.COUNTER or (
            argument.abstract_type is AbstractType.FIXNUM
            and argument.range.within(_EXACT_AS_DOUBLE)
        )
        return is_small and primitive.symbol != "rt_divide"
    # Division by an exact zero is an error, by 0.0 it is not.
    return abs(value) <= _EXACT_DOUBLE and (value != 0 or primitive.symbol != "rt_divide")


@cache
def _plain_types(primitive: Primitive, count: int) -> tuple[Representation, ...]:
    """How C takes the arguments without a variant: only tensors and booleans are unboxed."""
    types = [_plain(p.type) for p in primitive.signature.params[:count]]
    return (*types, *[Representation.VALUE] * (count - len(types)))


def _plain(representation: signature.Type) -> Representation:
    return _OF_PARAMETER[representation] if representation in _UNBOXED else Representation.VALUE


_UNBOXED = (signature.Type.TENSOR, signature.Type.BOOLEAN)
