"""The interpreter at run time: the global variables, and units running in them.

One Machine is one world of Lisp: its library, its program or REPL entries, one after the other.
"""

from collections.abc import Callable, Iterable
from typing import Any

from lambent.lang.interp import values
from lambent.lang.interp.binding import bind, spread
from lambent.lang.interp.builtins import builtin
from lambent.lang.interp.builtins.data import truth
from lambent.lang.interp.primitive_values import operator_value, primitive_value
from lambent.lang.interp.unit import UNITS, CodeUnit
from lambent.lang.interp.values import Lisp, Vector, list_of

RESULT = ":result"  # the global variable that holds what the last form of a unit gave


class Machine:
    """bounces: the library's known procedures, and whether each may give TAIL."""

    def __init__(self) -> None:
        self.bounces: dict[str, bool] = {}
        self.globals: dict[str, Any] = {
            ":TRUE": values.TRUE,
            ":FALSE": values.FALSE,
            ":NIL": values.NIL,
            ":UNSPECIFIED": values.UNSPECIFIED,
            ":ABSENT": values.ABSENT,
            ":EOF": values.EOF,
            ":TAIL": values.TAIL,
            ":Pair": values.Pair,
            ":Boolean": values.Boolean,
            ":Symbol": values.Symbol,
            ":Keyword": values.Keyword,
            ":String": values.String,
            ":Char": values.Char,
            ":Vector": values.Vector,
            ":Port": values.Port,
            ":Procedure": values.Procedure,
            ":Tensor": values.Tensor,
            ":symbol": values.symbol,
            ":keyword": values.keyword,
            ":char": values.char,
            ":list": list_of,
            ":vector": _vector,
            ":rational": _rational,
            ":truth": truth,
            ":drive": values.drive,
            ":bind": bind,
            ":spread": spread,
            ":set": self._set,
            ":result": values.UNSPECIFIED,
        }

        values.watch_tensors(self._set_tensor_class)

    def load_library(self, unit: CodeUnit) -> None:
        """Run the library, on which programs then stand."""
        self.run(unit)
        self.bounces.update(unit.bounces)

    def run(self, unit: CodeUnit) -> Lisp:
        """Run a unit; the value of its last form, if the unit keeps it.

        Raises whatever Python raises in emitted code: `trace.translate` makes a LispError of it.
        """
        UNITS[unit.key] = unit
        self._provide(unit.builtins)
        self.globals[RESULT] = values.UNSPECIFIED
        exec(unit.code, self.globals)
        return self.globals.pop(RESULT)

    def _set(self, variable: str, value: Lisp) -> None:
        self.globals[variable] = value

    def _set_tensor_class(self, tensor_class: type) -> None:
        self.globals[":Tensor"] = tensor_class

    def _provide(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.globals:
                self.globals[name] = self._builtin_variable(name)

    def _builtin_variable(self, name: str) -> Callable[..., Any]:
        """What emitter_base.builtin names: builtin functions, primitives as values, operators."""
        kind, _, symbol = name.partition(":")
        match kind:
            case "b":
                return builtin(symbol)
            case "o":
                return self._operator(name, symbol)
            case "v":
                return primitive_value(symbol)
            case _:
                return operator_value(symbol)

    def _operator(self, variable: str, aten_name: str) -> Callable[..., Any]:
        """An operator of LibTorch: its first call puts it in place of this function."""

        def call(*arguments: Lisp) -> Lisp:
            from lambent.lang.interp.builtins.tensors import find_operator

            found = self.globals[variable] = find_operator(aten_name)
            return found(*arguments)

        return call


def _vector(items: tuple[Lisp, ...]) -> Vector:
    return Vector(list(items))


def _rational(numerator: int, denominator: int) -> Any:
    from lambent.lang.interp.rationals import rational

    return rational(numerator, denominator)
