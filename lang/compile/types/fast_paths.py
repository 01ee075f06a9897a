"""Guarded fast paths: a typed overload of an operator, tested at run time.

    (tensor-view x 2 2)   with any x
    =>  rt_is_tensor(x) ? ct_aten_view(rt_tensor(x), (ct_ints){2, (int64_t[]){2, 2}}, &result)
                        : bridge_call(&operator_tensor_view, ...)

Arguments of unknown type most likely have the type that the operator takes: tensors, and integers
for sizes.  Testing them costs little compared with the call through the schema, which handles all
other arguments and reports errors.
"""

from collections.abc import Sequence
from dataclasses import replace

from lambent.lang.compile.ir.anf import GuardedFastPath
from lambent.lang.compile.types.abstract_types import AbstractType, Argument
from lambent.lang.compile.types.typed_calls import typed_call
from lambent.lang.primitives.table import Primitive
from lambent.lang.primitives.typed import Parameter, TypedOperator, typed_overloads
from lambent.lang.syntax.datum import Keyword

# An unboxed number may be a tensor, too.
_UNKNOWN = (AbstractType.ANYTHING, AbstractType.NUMBER)
# For the expected type of an argument: the test of its value, and the unboxed value.
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
    """The first typed overload that the call means if its unknown arguments have the right
    types."""
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
        placeholders = [f"{{{index}}}" for index in taken]
        pairs = list(zip(abstract_types, placeholders, strict=True))
        return GuardedFastPath(
            variant.code,
            tuple([_TESTS[abstract_type].format(text) for abstract_type, text in pairs]),
            tuple([_UNBOXED[abstract_type].format(text) for abstract_type, text in pairs]),
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
    """The arguments, those of unknown type with the type that the operator expects; None if it
    expects no argument there, or one of several types."""
    expected: list[Argument] = []
    index = 0
    keyword: str | None = None
    for argument in arguments:
        if isinstance(argument.literal, Keyword):
            keyword = argument.literal.name.replace("-", "_")
            expected.append(argument)
            continue
        parameter = _parameter(operator, index, keyword)
        index += keyword is None
        keyword = None
        if argument.abstract_type in _UNKNOWN and argument.literal is None:
            abstract_type = _EXPECTED.get(parameter.type) if parameter else None
            if abstract_type is None:
                return None
            argument = replace(argument, abstract_type=abstract_type)
        expected.append(argument)
    return expected


def _parameter(operator: TypedOperator, index: int, keyword: str | None) -> Parameter | None:
    """The parameter that a keyword names, or at an index; loose integers go to the last one."""
    if keyword is not None:
        return next((p for p in operator.parameters if p.name == keyword), None)
    positional = operator.positional
    if index < len(positional):
        return positional[index]
    return positional[-1] if positional and positional[-1].is_list else None
