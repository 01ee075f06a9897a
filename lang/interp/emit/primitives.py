"""Calls of primitives: the most common become Python expressions, the others call builtins.

    (+ a (car p))  =>  a + p.car        (vector-ref v 0)  =>  b:rt_vector_ref(v, 0)

Operands of a wrong type raise Python's own exceptions; `messages.py` writes their messages.
"""

import ast
from collections.abc import Callable
from itertools import product

from lambent.lang.core.ir import Const, Core, PrimCall
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.base import is_immediate
from lambent.lang.interp.emit.integers import IntegerEmitter
from lambent.lang.interp.emit.unit import PRIM
from lambent.lang.interp.native import NATIVE
from lambent.lang.primitives.signature import Type
from lambent.lang.primitives.typed import may_reuse
from lambent.lang.syntax.datum import Character, Number

_ARITHMETIC: dict[str, Callable[[], ast.operator]] = {
    "rt_add": ast.Add, "rt_subtract": ast.Sub, "rt_multiply": ast.Mult,
}
_COMPARISONS: dict[str, Callable[[], ast.cmpop]] = {
    "rt_less": ast.Lt, "rt_greater": ast.Gt,
    "rt_less_or_equal": ast.LtE, "rt_greater_or_equal": ast.GtE,
}
_WITH_ZERO: dict[str, Callable[[], ast.cmpop]] = {
    "rt_is_positive": ast.Gt, "rt_is_negative": ast.Lt,
}
_CLASSES = {
    "rt_is_pair": ":Pair", "rt_is_symbol": ":Symbol", "rt_is_string": ":String",
    "rt_is_char": ":Char", "rt_is_vector": ":Vector", "rt_is_keyword": ":Keyword",
    "rt_is_boolean": ":Boolean", "rt_is_tensor": ":Tensor",
    "rt_is_port": ":Port", "rt_is_bytevector": ":Bytes",
    "rt_is_condition": ":Condition", "rt_is_caught": ":Caught",
}
_SINGLETONS = {"rt_is_null": ":NIL", "rt_is_eof_object": ":EOF", "rt_is_absent": ":ABSENT"}
_PATHS = {
    f"rt_c{path}r": path
    for path in ["".join(letters) for n in (1, 2, 3, 4) for letters in product("ad", repeat=n)]
}
_LONGEST_INLINE_LIST = 4
_SMALL = 2**1000


def _is_small(value: py.Expr) -> bool:
    """Whether it is an integer in the text, beside which no number is too large.

    Beside a double, a number too large for one counts as infinite: the C module sees to that in
    Python's operators, and without it a builtin is called.
    """
    match value:
        case ast.Constant(int() as number):
            return abs(number) < _SMALL
    return False


def _is_constant_character(core: Core) -> bool:
    return isinstance(core, Const) and isinstance(core.value, Character)


class PrimitiveEmitter(IntegerEmitter):
    def primitive_call(self, core: PrimCall) -> py.Expr:
        """A call of a primitive as a Lisp value."""
        line = self.locations.add(core.span, PRIM, core.primitive.name)
        if core.primitive.symbol == "rt_apply":
            return self.apply(core)
        if core.primitive.signature.result is Type.BOOLEAN:
            condition = self.inline_condition(core, line)
            if condition is not None:
                return py.if_else(
                    condition, py.name(":TRUE", line), py.name(":FALSE", line), line
                )
        values = self.expressions(core.arguments)
        if inline := self._inline(core, values, line):
            return inline
        if self._takes_result(core, values):
            function = self.support(f"r:{core.primitive.symbol}", line)
        else:
            function = self.builtin(core.primitive, as_value=False, line=line)
        return py.call(function, values, line)

    def _takes_result(self, core: PrimCall, values: list[py.Expr]) -> bool:
        """Whether an operator's first argument is the result of another operator, which has no
        other use, so that it may reuse that result's storage."""
        if not (core.arguments and core.primitive.is_operator):
            return False
        match core.arguments[0]:
            case PrimCall(primitive) if primitive.is_operator:
                return isinstance(values[0], ast.Call) and may_reuse(core.primitive.symbol)
        return False

    def condition(self, core: PrimCall) -> py.Expr:
        """A call of a primitive that returns a boolean, as a Python condition."""
        line = self.locations.add(core.span, PRIM, core.primitive.name)
        condition = self.inline_condition(core, line)
        if condition is not None:
            return condition
        values = self.expressions(core.arguments)
        function = self.builtin(core.primitive, as_value=False, line=line)
        return py.is_(py.call(function, values, line), py.name(":TRUE", line), line)

    def _inline(self, core: PrimCall, values: list[py.Expr], line: int) -> py.Expr | None:
        symbol = core.primitive.symbol
        if symbol in _ARITHMETIC and (NATIVE is not None or any(map(_is_small, values))):
            return py.binary(values[0], _ARITHMETIC[symbol](), values[1], line)
        if symbol in _PATHS:
            result = values[0]
            for step in reversed(_PATHS[symbol]):
                result = py.attribute(result, "car" if step == "a" else "cdr", line)
            return result
        match symbol:
            case "rt_negate":
                return py.negative(values[0], line)
            case "rt_record":
                make = py.attribute(values[0], "record_class", line)
                return py.call(make, values[1:], line)
            case "rt_record_ref":
                return self._field(core, values, line)
            case "rt_vector_ref":
                return self.element(core, values, line)
            case "rt_cons":
                return py.call_name(":Pair", values, line)
            case "rt_list" if len(values) <= _LONGEST_INLINE_LIST:
                result = py.name(":NIL", line)
                for value in reversed(values):
                    result = py.call_name(":Pair", [value, result], line)
                return result
            case "rt_list":
                return py.call_name(":list", [py.tuple_of(values, line)], line)
            case _:
                return self.division(core, values, line)

    def _field(self, core: PrimCall, values: list[py.Expr], line: int) -> py.Expr | None:
        """`x.f0 if x.__class__ is type.record_class else b:rt_record_ref(x, ...)`, which is for
        records of types that extend this one, and fails for others."""
        match core.arguments:
            case (_, _, Const(Number(index)), _):
                pass
            case _:
                return None
        record, again = self.reusable(values[0])
        builtin = self.builtin(core.primitive, as_value=False, line=line)
        return py.if_else(
            self._is_record(record, values[1], line),
            py.attribute(again, f"f{index}", line),
            py.call(builtin, [again, *values[1:]], line),
            line,
        )

    def _is_record(self, value: py.Expr, type_: py.Expr, line: int) -> py.Expr:
        record_class = py.attribute(type_, "record_class", line)
        return py.is_(py.attribute(value, "__class__", line), record_class, line)

    def inline_condition(self, core: PrimCall, line: int) -> py.Expr | None:
        """The Python condition of a test that needs no builtin function; None for other tests."""
        symbol, arguments = core.primitive.symbol, core.arguments
        if symbol == "rt_not":
            return py.not_(self.test(arguments[0]), line)
        if symbol in _COMPARISONS:
            left, right = self.expressions(arguments)
            return py.compare(left, _COMPARISONS[symbol](), right, line)
        if symbol in _WITH_ZERO:
            (value,) = self.expressions(arguments)
            return py.compare(value, _WITH_ZERO[symbol](), py.constant(0, line), line)
        if symbol in _CLASSES:
            (value,) = self.expressions(arguments)
            class_ = py.name(_CLASSES[symbol], line)
            return py.is_(py.attribute(value, "__class__", line), class_, line)
        if symbol in _SINGLETONS:
            (value,) = self.expressions(arguments)
            return py.is_(value, py.name(_SINGLETONS[symbol], line), line)
        match symbol:
            case "rt_is_record":
                value, type_ = self.expressions(arguments)
                record_class = py.attribute(type_, "record_class", line)
                return py.call_name(":isinstance", [value, record_class], line)
            case "rt_equal_numbers":
                return self._equal(self.expressions(arguments), line)
            case "rt_char_equal" if _is_constant_character(arguments[1]):
                return self._is_character(core, line)
            case "rt_is_zero":
                return self._equal([*self.expressions(arguments), py.constant(0, line)], line)
            case "rt_is_even" | "rt_is_odd":
                return self.parity(core, line)
            case "rt_eq" if any(map(is_immediate, arguments)):
                left, right = self.expressions(arguments)
                return py.is_(left, right, line)
            case _:
                return None

    def _is_character(self, core: PrimCall, line: int) -> py.Expr:
        """`(char=? x #\\a)`: characters are compared by `is`; the builtin refuses other values."""
        value, constant = self.expressions(core.arguments)
        first, again = self.reusable(value)
        is_char = py.is_(py.attribute(first, "__class__", line), py.name(":Char", line), line)
        function = self.builtin(core.primitive, as_value=False, line=line)
        result = py.is_(py.call(function, [again, constant], line), py.name(":TRUE", line), line)
        return py.if_else(is_char, py.is_(again, constant, line), result, line)

    def _equal(self, values: list[py.Expr], line: int) -> py.Expr:
        """`a <= b and a >= b`: order refuses values that are not numbers, and `==` would not."""
        left, left_again = self.reusable(values[0])
        right, right_again = self.reusable(values[1])
        return py.and_(
            [
                py.compare(left, ast.LtE(), right, line),
                py.compare(left_again, ast.GtE(), right_again, line),
            ],
            line,
        )
