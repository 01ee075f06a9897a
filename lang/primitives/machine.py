"""Operations of the machine: what C computes from integers and doubles without a function.

They are the variants of primitives (`table.py`) whose arguments are known to have no box.  None of
them can fail, allocates, or reads memory.  `compile/c/machine_text.py` has their C.

I64: int64_t in the range of a fixnum.  F64: double.
"""

from enum import Enum


class Machine(Enum):
    """The value is the name in the printed IR."""

    __hash__ = object.__hash__  # Enum has one in Python, which takes long

    COPY = "copy"
    # The verifier proves that the results of these fit a fixnum, and that no divisor is 0.
    I64_ADD = "i64.add"
    I64_SUBTRACT = "i64.subtract"
    I64_MULTIPLY = "i64.multiply"
    I64_QUOTIENT = "i64.quotient"
    I64_FLOOR_QUOTIENT = "i64.floor-quotient"
    I64_REMAINDER = "i64.remainder"
    I64_MODULO = "i64.modulo"
    I64_NEGATE = "i64.negate"
    I64_ABS = "i64.abs"
    I64_SHIFT_LEFT = "i64.shift-left"
    I64_SHIFT_RIGHT = "i64.shift-right"  # the count is negative, or 0
    I64_MAX = "i64.max"
    I64_MIN = "i64.min"
    I64_AND = "i64.and"
    I64_OR = "i64.or"
    I64_XOR = "i64.xor"
    I64_NOT = "i64.not"
    I64_TO_F64 = "i64.to-f64"
    I64_EQUAL = "i64.equal"
    I64_LESS = "i64.less"
    I64_GREATER = "i64.greater"
    I64_LESS_OR_EQUAL = "i64.less-or-equal"
    I64_GREATER_OR_EQUAL = "i64.greater-or-equal"
    I64_IS_ZERO = "i64.is-zero"
    I64_IS_POSITIVE = "i64.is-positive"
    I64_IS_NEGATIVE = "i64.is-negative"
    I64_IS_ODD = "i64.is-odd"
    I64_IS_EVEN = "i64.is-even"
    F64_ADD = "f64.add"
    F64_SUBTRACT = "f64.subtract"
    F64_MULTIPLY = "f64.multiply"
    F64_DIVIDE = "f64.divide"
    F64_NEGATE = "f64.negate"
    F64_SQUARE = "f64.square"
    F64_ABS = "f64.abs"
    F64_FLOOR = "f64.floor"
    F64_CEILING = "f64.ceiling"
    F64_TRUNCATE = "f64.truncate"
    F64_ROUND = "f64.round"
    F64_EXP = "f64.exp"
    F64_SIN = "f64.sin"
    F64_COS = "f64.cos"
    F64_TAN = "f64.tan"
    F64_TANH = "f64.tanh"
    F64_ATAN2 = "f64.atan2"
    F64_EQUAL = "f64.equal"
    F64_LESS = "f64.less"
    F64_GREATER = "f64.greater"
    F64_LESS_OR_EQUAL = "f64.less-or-equal"
    F64_GREATER_OR_EQUAL = "f64.greater-or-equal"
    F64_IS_ZERO = "f64.is-zero"
    F64_IS_POSITIVE = "f64.is-positive"
    F64_IS_NEGATIVE = "f64.is-negative"
    F64_IS_NAN = "f64.is-nan"
    F64_IS_INFINITE = "f64.is-infinite"
    F64_IS_FINITE = "f64.is-finite"

    @property
    def compares(self) -> bool:
        """Whether it compares two numbers."""
        return self in _COMPARISONS


_COMPARISONS = frozenset(
    {
        Machine.I64_EQUAL,
        Machine.I64_LESS,
        Machine.I64_GREATER,
        Machine.I64_LESS_OR_EQUAL,
        Machine.I64_GREATER_OR_EQUAL,
        Machine.F64_EQUAL,
        Machine.F64_LESS,
        Machine.F64_GREATER,
        Machine.F64_LESS_OR_EQUAL,
        Machine.F64_GREATER_OR_EQUAL,
    }
)
