"""Which values an operator's parameter takes, and what each conversion costs.

A call is resolved to the overload whose conversions cost least:

    (tensor-add x 2)    add.Scalar takes 2 as it is: 0.  add.Tensor converts it to a tensor: 100.

Overloads are chosen in two modules: in `ctorch/dispatch/bind.cpp` at run time, and in
`compile/types/typed_calls.py` at compile time, if the arguments' types are known.  Both use this
table; `ctorch/conversions_source.py` translates it to C++.

The table has only types.  At run time, the value itself may forbid a conversion: a tensor becomes a
number only if it has rank 0, does not require a gradient, and has a matching dtype.
"""

from enum import Enum


class Value(Enum):
    """The type of an argument; the member's value is the tags of that type in C."""

    TENSOR = ("CT_TENSOR",)
    INTEGER = ("CT_INT",)
    FLOAT = ("CT_FLOAT",)
    BOOLEAN = ("CT_BOOL",)
    NAME = ("CT_SYMBOL", "CT_STRING")


CONVERTED = 1  # an integer for a float, or a number for a list of one
UNWRAPPED = 50  # a tensor of rank 0 for a number
WRAPPED = 100  # a number for a tensor: only if the call has another tensor

# By the parameter's type in LibTorch's schemas, without `?` and `[]`.
COSTS = {
    ("Tensor", Value.TENSOR): 0,
    ("Tensor", Value.INTEGER): WRAPPED,
    ("Tensor", Value.FLOAT): WRAPPED,
    ("int", Value.INTEGER): 0,
    ("int", Value.TENSOR): UNWRAPPED,
    ("float", Value.FLOAT): 0,
    ("float", Value.INTEGER): CONVERTED,
    ("float", Value.TENSOR): UNWRAPPED,
    ("Scalar", Value.INTEGER): 0,
    ("Scalar", Value.FLOAT): 0,
    ("Scalar", Value.BOOLEAN): CONVERTED,
    ("Scalar", Value.TENSOR): UNWRAPPED,
    ("bool", Value.BOOLEAN): 0,
    ("str", Value.NAME): 0,
}
