"""The interpreter at run time: the global variables, and the units that run with them.

One Machine holds one set of global variables, for the library and a program or a REPL's entries.  A
variable that the program does not define is created when code first mentions it: a builtin, an
interned constant, a definition of the library.  So a start pays only for what the program uses.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lambent.lang.interp.binding import bind, spread
from lambent.lang.interp.builtins import builtin
from lambent.lang.interp.builtins.lists import truth
from lambent.lang.interp.emit.unit import UNITS, CodeUnit
from lambent.lang.interp.interrupts.masking import frame_masked
from lambent.lang.interp.library import KEY, MASKED_KEY, Library
from lambent.lang.interp.native import NATIVE, direct, in_native
from lambent.lang.interp.native.library import replaced
from lambent.lang.interp.values import values
from lambent.lang.interp.values.values import Bytes, Lisp, Vector, list_of

if TYPE_CHECKING:
    from lambent.lang.interp.world import World

POSITION = ":position"  # the global variable for the position of the form that runs
RESULT = ":result"  # the global variable for the value of a unit's last form


if NATIVE is not None:
    NATIVE.mix_in(UNITS)

RUNNING: "list[Machine]" = []  # the machine whose program is running


class _Makers(dict[str, Any]):
    """Creates a global variable when Python does not find it.

    It takes the place of Python's own builtins, which emitted code does not use.
    """

    def __init__(self, make: Callable[[str], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> Any:
        return self._make(name)


class Machine(values.TensorWatcher):
    """find_library returns the library when code first needs it; find_world the world of `eval`."""

    find_world: "Callable[[], World] | None" = None

    def __init__(self, find_library: Callable[[], Library]) -> None:
        self._find_library = find_library
        self._library: Library | None = None
        self._world: World | None = None
        self._builtin_modules: dict[str, str] = {}  # by the builtins' global variables
        self.globals: dict[str, Any] = {
            "__builtins__": _Makers(self._make),
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
            ":Bytes": values.Bytes,
            ":Port": values.Port,
            ":Procedure": values.Procedure,
            ":Condition": values.Condition,
            ":Tensor": values.Tensor,
            ":BaseException": BaseException,
            ":int": int,
            ":isinstance": isinstance,
            ":len": len,
            ":list": list_of,
            ":vector": _vector,
            ":bytes": _bytes,
            ":rational": _rational,
            ":read": _read,
            ":truth": truth,
            ":trampoline": values.run_trampoline,
            ":bind": bind,
            ":spread": in_native(spread),
            ":result": values.UNSPECIFIED,
        }

        values.watch_tensors(self)

    @property
    def library(self) -> Library:
        """The code of the library."""
        if self._library is None:
            self._library = self._find_library()
            self._builtin_modules |= self._library.builtin_modules
            UNITS[KEY] = UNITS[MASKED_KEY] = self._library.tables()
        return self._library

    @property
    def world(self) -> "World":
        """The world in which `eval` and `load` run."""
        if self._world is None:
            assert self.find_world is not None
            self._world = self.find_world()
        self._world.reach(self.globals.get(POSITION, -1))
        return self._world

    def run(self, unit: CodeUnit) -> Lisp:
        """Run a unit; the value of its last form, if the unit keeps it.

        Raises what Python raises in emitted code; `trace.translate` turns that into a LispError.
        """
        UNITS[unit.key] = unit.tables
        self._builtin_modules |= unit.builtin_modules
        return self.during(lambda: self._run(unit))

    @frame_masked
    def _run(self, unit: CodeUnit) -> Lisp:
        # `eval` runs a unit while another unit runs.
        outer = self.globals.get(RESULT)
        self.globals[RESULT] = values.UNSPECIFIED
        try:
            exec(unit.code, self.globals)
            return self.globals[RESULT]
        finally:
            self.globals[RESULT] = outer

    @frame_masked
    def during(self, job: Callable[[], Lisp]) -> Lisp:
        """The result of a job that runs code of this machine, maybe within a job of another one."""
        outer = RUNNING[:]
        RUNNING[:] = [self]
        try:
            return job()
        finally:
            RUNNING[:] = outer

    def set_tensor_class(self, tensor_class: type) -> None:
        """Called when LibTorch is loaded: all tensors are of this class."""
        self.globals[":Tensor"] = tensor_class

    def _make(self, variable: str) -> Any:
        """Create a variable and return its value, or raise KeyError; `names.py` lists the kinds."""
        kind, _, name = variable.partition(":")
        match kind:
            case "l" if variable in self.library:
                exec(self.library.code(variable), self.globals)
                lisp = self.globals[variable]
                value: Any = replaced(name, lisp, self.globals.get, self._value)
            case "s":
                value = values.symbol(name)
            case "k":
                value = values.keyword(name)
            case "h":
                value = values.char(name)
            case "b":
                value = builtin(name, self._builtin_modules.get(variable))
            case "n":
                value = direct(name) or builtin(name)
            case "o" | "r":
                value = self._operator(variable, name, kind == "r")
            case "v" | "O":
                value = _procedure_value(kind, name)
            case "" if name == "Caught":
                from lambent.lang.interp.errors.caught import Caught

                value = Caught
            case "" if name == "catch_error":
                from lambent.lang.interp.errors.caught import catch_error

                value = in_native(catch_error)
            case _:
                raise KeyError(variable)
        self.globals[variable] = value
        return value

    def _value(self, variable: str) -> Any:
        """The value of a global variable, created if it is new."""
        return self.globals[variable] if variable in self.globals else self._make(variable)

    def _operator(self, variable: str, aten_name: str, reuses: bool) -> Callable[..., Any]:
        """An operator of LibTorch: the first call replaces this function by the operator."""

        def call(*arguments: Lisp) -> Lisp:
            from lambent.lang.interp.builtins.tensors import find_operator

            operator = self.globals[variable] = find_operator(aten_name, reuses)
            return operator(*arguments)

        return call


def _procedure_value(kind: str, name: str) -> Callable[..., Any]:
    """A primitive with keyword parameters, or an operator, used as a value."""
    from lambent.lang.interp.values.primitive_values import operator_value, primitive_value

    return primitive_value(name) if kind == "v" else operator_value(name)


def _vector(items: tuple[Lisp, ...]) -> Vector:
    return Vector(list(items))


def _bytes(data: bytes) -> Bytes:
    return Bytes(bytearray(data))


def _read(text: str) -> Lisp:
    from lambent.lang.interp.io.data_reader import read_text

    return read_text(text)


def _rational(numerator: int, denominator: int) -> Any:
    from lambent.lang.interp.values.rationals import rational

    return rational(numerator, denominator)
