"""Fast paths: a typed overload of an operator, if a test finds that the arguments fit.

    (tensor-view x 2 2)   with any x    =>    t1: boolean = x is tensor
                                              t2 = if t1
                                                x.tensor: tensor = convert x
                                                t2.found: tensor = tensor-view(x.tensor, (2 2))
                                                ...
                                              else
                                                t2.other = tensor-view(x, t3, t4)
                                                yield t2.other

Arguments of unknown type most likely have the type that the operator takes: tensors, and integers
for sizes.  Testing them costs little compared with the call through the schema, which handles all
other arguments and reports errors.
"""

from collections.abc import Sequence

from lambent.lang.compile.ir.anf import Representation
from lambent.lang.compile.types.abstract_types import UNKNOWN, AbstractType, Argument
from lambent.lang.compile.types.typed_calls import typed_call
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.primitives.typed import Parameter, TypedOperator, typed_overloads
from lambent.lang.syntax.datum import Keyword
from lambent.lang.system.dataclass import dataclass, replace

_TESTED = (AbstractType.TENSOR, AbstractType.FIXNUM)
_EXPECTED = {
    "Tensor": AbstractType.TENSOR, "Tensor?": AbstractType.TENSOR,
    "int": AbstractType.FIXNUM, "SymInt": AbstractType.FIXNUM, "int?": AbstractType.FIXNUM,
    "int[]": AbstractType.FIXNUM, "SymInt[]": AbstractType.FIXNUM,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FastPath:
    """taken: the indices of the arguments that the variant takes.  types: what each of them must
    be.  tested: the indices of those that may be something else."""

    variant: Variant
    taken: tuple[int, ...]
    types: tuple[Representation, ...]
    tested: tuple[int, ...]


def fast_path(primitive: Primitive, arguments: Sequence[Argument]) -> FastPath | None:
    """The first typed overload that the call means if its unknown arguments have the right
    types."""
    for operator in typed_overloads(primitive.symbol):
        expected = _expected(operator, arguments)
        if expected is None or (found := typed_call(primitive, expected)) is None:
            continue
        variant, taken = found
        types = tuple([expected[index].abstract_type.representation for index in taken])
        tested = tuple([index for index in taken if _is_unknown(arguments[index])])
        if tested and all(expected[i].abstract_type in _TESTED for i in tested):
            return FastPath(variant, taken, types, tested)
    return None


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
        if _is_unknown(argument):
            abstract_type = _EXPECTED.get(parameter.type) if parameter else None
            if abstract_type is None:
                return None
            argument = replace(argument, abstract_type=abstract_type)
        expected.append(argument)
    return expected


def _is_unknown(argument: Argument) -> bool:
    return argument.abstract_type in UNKNOWN and argument.literal is None


def _parameter(operator: TypedOperator, index: int, keyword: str | None) -> Parameter | None:
    """The parameter that a keyword names, or at an index; loose integers go to the last one."""
    if keyword is not None:
        return next((p for p in operator.parameters if p.name == keyword), None)
    positional = operator.positional
    if index < len(positional):
        return positional[index]
    return positional[-1] if positional and positional[-1].is_list else None
