"""The typed form of an operator's call whose arguments are not known, tried when it runs.

    (tensor-view x 2 2)   with any x
    =>  rt_is_tensor(x) ? ct_aten_view(rt_tensor(x), (ct_ints){2, (int64_t[]){2, 2}}, &result)
                        : bridge_call(&operator_tensor_view, ...)

Whoever calls an operator most likely gives it what it takes: tensors for tensors, and integers for
sizes.  A test of each such argument costs nothing beside the way through the schema, which stays
for everything else, and says what is wrong.
"""

from collections.abc import Sequence
from dataclasses import replace

from lambent.lang.compile.ir.anf import GuardedFastPath
from lambent.lang.compile.types.abstract_types import AbstractType, Argument
from lambent.lang.compile.types.typed_calls import typed_call
from lambent.lang.primitives.table import Primitive
from lambent.lang.primitives.typed import Parameter, TypedOperator, typed_overloads
from lambent.lang.syntax.datum import Keyword

# What arithmetic waits for may be a tensor, too.
_UNKNOWN = (AbstractType.ANYTHING, AbstractType.NUMBER)
# By what an argument is taken for: the test of its value, and the value without a box.
_TESTS = {AbstractType.TENSOR: "rt_is_tensor({})", AbstractType.FIXNUM: "rt_is_fixnum({})"}
_UNBOXED = {AbstractType.TENSOR: "rt_tensor({})", AbstractType.FIXNUM: "rt_fixnum({})"}
_EXPECTED = {
    "Tensor": AbstractType.TENSOR, "Tensor?": AbstractType.TENSOR,
    "int": AbstractType.FIXNUM, "SymInt": AbstractType.FIXNUM, "int?": AbstractType.FIXNUM,
    "int[]": AbstractType.FIXNUM, "SymInt[]": AbstractType.FIXNUM,
}  # fmt: skip


def guarded_fast_path(
    primitive: Primitive, arguments: Sequence[Argument]
) -> GuardedFastPath | None:
    """The first typed form that the call would have if unknown arguments were what it takes."""
    for operator in typed_overloads(primitive.symbol):
        expected = _expected(operator, arguments)
        if expected is None or (found := typed_call(primitive, expected)) is None:
            continue
        variant, taken = found
        abstract_types = [_boxed_type(expected[index]) for index in taken]
        if variant.passed is None or not all(
            abstract_type in _TESTS for abstract_type in abstract_types
        ):
            continue
        places = [f"{{{index}}}" for index in taken]
        pairs = list(zip(abstract_types, places, strict=True))
        return GuardedFastPath(
            variant.code,
            tuple([_TESTS[abstract_type].format(place) for abstract_type, place in pairs]),
            tuple([_UNBOXED[abstract_type].format(place) for abstract_type, place in pairs]),
            variant.passed,
        )
    return None


def _boxed_type(argument: Argument) -> AbstractType:
    return (
        AbstractType.FIXNUM
        if argument.abstract_type is AbstractType.COUNTER
        else argument.abstract_type
    )


def _expected(operator: TypedOperator, arguments: Sequence[Argument]) -> list[Argument] | None:
    """The arguments with what the operator takes in the places of those that are not known; None
    where it takes none there, or one of many sorts."""
    expected: list[Argument] = []
    place = 0
    named: str | None = None
    for argument in arguments:
        if isinstance(argument.literal, Keyword):
            named = argument.literal.name.replace("-", "_")
            expected.append(argument)
            continue
        parameter = _parameter(operator, place, named)
        place += named is None
        named = None
        if argument.abstract_type in _UNKNOWN and argument.literal is None:
            abstract_type = _EXPECTED.get(parameter.type) if parameter else None
            if abstract_type is None:
                return None
            argument = replace(argument, abstract_type=abstract_type)
        expected.append(argument)
    return expected


def _parameter(operator: TypedOperator, place: int, named: str | None) -> Parameter | None:
    """The parameter that a keyword names, or at a place; loose integers go to the last one."""
    if named is not None:
        return next((p for p in operator.parameters if p.name == named), None)
    positional = operator.positional
    if place < len(positional):
        return positional[place]
    return positional[-1] if positional and positional[-1].is_list else None
