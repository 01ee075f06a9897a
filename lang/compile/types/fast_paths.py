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

from lambent.lang.compile.ir.anf import Speculation
from lambent.lang.compile.types.abstract_types import Argument, Kind
from lambent.lang.compile.types.typed_calls import typed_call
from lambent.lang.primitives.table import Primitive
from lambent.lang.primitives.typed import Parameter, TypedOperator, typed_overloads
from lambent.lang.syntax.datum import Keyword

# What arithmetic waits for may be a tensor, too.
_UNKNOWN = (Kind.ANYTHING, Kind.NUMBER)
# By what an argument is taken for: the test of its value, and the value without a box.
_TESTS = {Kind.TENSOR: "rt_is_tensor({})", Kind.FIXNUM: "rt_is_fixnum({})"}
_UNBOXED = {Kind.TENSOR: "rt_tensor({})", Kind.FIXNUM: "rt_fixnum({})"}
_EXPECTED = {
    "Tensor": Kind.TENSOR, "Tensor?": Kind.TENSOR,
    "int": Kind.FIXNUM, "SymInt": Kind.FIXNUM, "int?": Kind.FIXNUM,
    "int[]": Kind.FIXNUM, "SymInt[]": Kind.FIXNUM,
}  # fmt: skip


def speculative_call(
    primitive: Primitive, arguments: Sequence[Argument]
) -> Speculation | None:
    """The first typed form that the call would have if unknown arguments were what it takes."""
    for operator in typed_overloads(primitive.symbol):
        expected = _expected(operator, arguments)
        if expected is None or (found := typed_call(primitive, expected)) is None:
            continue
        variant, taken = found
        kinds = [_boxed_kind(expected[index]) for index in taken]
        if variant.passed is None or not all(kind in _TESTS for kind in kinds):
            continue
        places = [f"{{{index}}}" for index in taken]
        pairs = list(zip(kinds, places, strict=True))
        return Speculation(
            variant.code,
            tuple([_TESTS[kind].format(place) for kind, place in pairs]),
            tuple([_UNBOXED[kind].format(place) for kind, place in pairs]),
            variant.passed,
        )
    return None


def _boxed_kind(argument: Argument) -> Kind:
    return Kind.FIXNUM if argument.kind is Kind.COUNTER else argument.kind


def _expected(
    operator: TypedOperator, arguments: Sequence[Argument]
) -> list[Argument] | None:
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
        if argument.kind in _UNKNOWN and argument.literal is None:
            kind = _EXPECTED.get(parameter.type) if parameter else None
            if kind is None:
                return None
            argument = replace(argument, kind=kind)
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
