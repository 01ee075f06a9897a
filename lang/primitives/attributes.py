"""Arguments of C functions that are not simply the arguments of the call.

    (tensor-sum x :dim 0)  =>  ct_aten_sum_dim_IntList(x, (ct_ints){1, (int64_t[]){0LL}}, false, &t)

passes `Taken(0), Integers((Integer(0),)), Boolean(False)`: the tensor, and the operator's
attributes.  `compile/c/attribute_text.py` has their C.
"""

from enum import Enum, auto

from lambent.lang.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Taken:
    """An argument of the call, by its index among those that the function takes."""

    index: int


@dataclass(frozen=True, slots=True)
class Integer:
    value: int


@dataclass(frozen=True, slots=True)
class Double:
    value: float


@dataclass(frozen=True, slots=True)
class Boolean:
    value: bool


@dataclass(frozen=True, slots=True)
class Text:
    value: str


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number with its type: LibTorch's `Scalar`, `int?` and `float?`."""

    value: Taken | Integer | Double
    is_integer: bool


@dataclass(frozen=True, slots=True)
class Integers:
    """A list of integers."""

    elements: tuple[Taken | Integer, ...]


@dataclass(frozen=True, slots=True)
class Pointer:
    """An integer by its address: an optional argument that was given."""

    value: Taken


class Absent(Enum):
    """What stands for an optional argument that was left out."""

    TENSOR = auto()
    NUMBER = auto()
    INTEGERS = auto()


Attribute = Taken | Integer | Double | Boolean | Text | Scalar | Integers | Pointer | Absent
