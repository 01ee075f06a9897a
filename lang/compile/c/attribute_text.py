"""The C of what a call passes: its arguments, and the attributes of an operator."""

from collections.abc import Sequence
from typing import assert_never

from lambent.lang.compile.c.c_constants import c_double, c_integer, c_string
from lambent.lang.primitives.attributes import (
    Absent,
    Attribute,
    Boolean,
    Double,
    Integer,
    Integers,
    Pointer,
    Scalar,
    Taken,
    Text,
)


def attribute_text(attribute: Attribute, taken: Sequence[str]) -> str:
    """taken: the C expressions of the arguments that the function takes."""
    match attribute:
        case Taken(index):
            return taken[index]
        case Integer(integer):
            return c_integer(integer)
        case Double(double):
            return c_double(double)
        case Boolean(boolean):
            return "true" if boolean else "false"
        case Text(text):
            return c_string(text)
        case Scalar(value, is_integer):
            return f"{'ct_int' if is_integer else 'ct_float'}({attribute_text(value, taken)})"
        case Integers(elements):
            texts = [attribute_text(element, taken) for element in elements] or [c_integer(0)]
            return f"(ct_ints){{{len(elements)}, (int64_t[]){{{', '.join(texts)}}}}}"
        case Pointer(value):
            return f"(int64_t[]){{{attribute_text(value, taken)}}}"
        case Absent():
            return _ABSENT[attribute]
        case _:
            assert_never(attribute)


_ABSENT = {
    Absent.TENSOR: "NULL",
    Absent.NUMBER: "ct_none()",
    Absent.INTEGERS: "(ct_ints){0, NULL}",
}
