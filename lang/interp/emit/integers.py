"""Inlines the common operations of integer loops: divisions, parities, elements of vectors.

    (modulo n 10)      =>  n % 10 if n.__class__ is int else b:rt_modulo(n, 10)
    (quotient n 10)    =>  n // 10 if n.__class__ is int and n >= 0 else b:rt_quotient(n, 10)
    (if (even? n) ..)  =>  if (not n & 1 if n.__class__ is int else b:rt_is_even(n) is TRUE): ..

    (vector-ref v i)   =>  v.items[i] if v.__class__ is Vector and i.__class__ is int and ...

Python rounds down, as `modulo` does; `quotient` agrees where nothing is negative.  The builtin
functions handle all other operands.
"""

import ast
from collections.abc import Callable

from lambent.lang.core.ir import PrimCall
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.base import EmitterBase

_ROUNDED_DOWN: dict[str, Callable[[], ast.operator]] = {
    "rt_modulo": ast.Mod, "rt_floor_remainder": ast.Mod, "rt_floor_quotient": ast.FloorDiv,
}
_TOWARDS_ZERO: dict[str, Callable[[], ast.operator]] = {
    "rt_quotient": ast.FloorDiv, "rt_truncate_quotient": ast.FloorDiv,
    "rt_remainder": ast.Mod, "rt_truncate_remainder": ast.Mod,
}
_DIVISIONS = {**_ROUNDED_DOWN, **_TOWARDS_ZERO}


class IntegerEmitter(EmitterBase):
    def division(self, core: PrimCall, values: list[py.Expr], line: int) -> py.Expr | None:
        """An inlined integer division; None for other calls, or if the divisor needs evaluation."""
        symbol = core.primitive.symbol
        if symbol not in _DIVISIONS or not self.is_stable(values[1]):
            return None
        first, number = self.reusable(values[0])
        divisor = values[1]
        tests = [self._is_int(first, line)]
        match divisor:
            case ast.Constant(int() as value) if value > 0:
                if symbol in _TOWARDS_ZERO:
                    tests.append(py.compare(number, ast.GtE(), py.constant(0, line), line))
            case ast.Constant():
                return None
            case _:
                tests.append(self._is_int(divisor, line))
                if symbol in _TOWARDS_ZERO:
                    zero = py.constant(0, line)
                    tests.append(py.compare(number, ast.GtE(), zero, line))
                    tests.append(py.compare(divisor, ast.Gt(), zero, line))
                else:
                    tests.append(divisor)
        return py.if_else(
            tests[0] if len(tests) == 1 else py.and_(tests, line),
            py.binary(number, _DIVISIONS[symbol](), divisor, line),
            py.call(self.builtin(core.primitive, as_value=False, line=line),
                    [number, divisor], line),
            line,
        )

    def parity(self, core: PrimCall, line: int) -> py.Expr:
        """The Python condition of `even?` or `odd?`."""
        (value,) = self.expressions(core.arguments)
        first, number = self.reusable(value)
        last_bit: py.Expr = py.binary(number, ast.BitAnd(), py.constant(1, line), line)
        function = self.builtin(core.primitive, as_value=False, line=line)
        return py.if_else(
            self._is_int(first, line),
            py.not_(last_bit, line) if core.primitive.symbol == "rt_is_even" else last_bit,
            py.is_(py.call(function, [number], line), py.name(":TRUE", line), line),
            line,
        )

    def element(self, core: PrimCall, values: list[py.Expr], line: int) -> py.Expr | None:
        """An inlined element of a vector; None if the index needs evaluation."""
        index = values[1]
        if not self.is_stable(index):
            return None
        vector, again = self.reusable(values[0])
        items = py.attribute(again, "items", line)
        is_vector = py.is_(
            py.attribute(vector, "__class__", line), py.name(":Vector", line), line
        )
        tests: list[py.Expr] = [is_vector]
        if not isinstance(index, ast.Constant):
            zero = py.constant(0, line)
            tests += [self._is_int(index, line), py.compare(index, ast.GtE(), zero, line)]
        elif index.value.__class__ is not int or index.value < 0:
            return None
        tests.append(py.compare(index, ast.Lt(), py.call_name(":len", [items], line), line))
        builtin = self.builtin(core.primitive, as_value=False, line=line)
        return py.if_else(
            py.and_(tests, line),
            py.item(items, index, line),
            py.call(builtin, [again, index], line),
            line,
        )

    def _is_int(self, value: py.Expr, line: int) -> py.Expr:
        return py.is_(py.attribute(value, "__class__", line), py.name(":int", line), line)
