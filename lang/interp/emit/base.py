"""The base class of the emitters: the current block, temporaries, the order of arguments."""

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lambent.lang.core.ir import (
    Const,
    Core,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    PrimCall,
    Special,
)
from lambent.lang.core.traverse import children
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.native import DIRECT
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, Character, Keyword, List, Symbol

if TYPE_CHECKING:
    from lambent.lang.interp.emit.constants import ConstantPool
    from lambent.lang.interp.emit.emit import FunctionState
    from lambent.lang.interp.emit.locations import LocationTable
    from lambent.lang.interp.emit.procedure_analysis import ProcedureAnalysis


RESULT = " r"  # one temporary for all results in a function: none is used after its test


class EmitterBase:
    """The state of the emitter; `emit.Emitter` sets it up."""

    analysis: "ProcedureAnalysis"
    locations: "LocationTable"
    constants: "ConstantPool"
    builtins: dict[str, None]
    function_state: "FunctionState"
    unit: str
    mutable: set[str]  # the Python names of local variables that are assigned

    def expression(self, core: Core) -> py.Expr:
        raise NotImplementedError

    def effect(self, core: Core) -> None:
        raise NotImplementedError

    def bindings(self, core: Let | Letrec) -> None:
        raise NotImplementedError

    def conditional(self, core: If) -> py.Expr:
        raise NotImplementedError

    def closure(self, code: Lambda, identifier: str | None = None) -> py.Expr:
        raise NotImplementedError

    def test(self, core: Core) -> py.Expr:
        raise NotImplementedError

    def apply(self, core: PrimCall) -> py.Expr:
        raise NotImplementedError

    # Writing.

    def line(self, core: Core) -> int:
        return self.locations.add(core.span)

    def write(self, statement: py.Stmt) -> None:
        self.function_state.body.append(statement)

    def block(self) -> "_Collected":
        """Collect the statements that are written inside the `with`."""
        return _Collected(self.function_state)

    def temporary(self) -> str:
        self.function_state.temporaries += 1
        return f" {self.function_state.temporaries}"

    def bound_here(self, name: str) -> None:
        self.function_state.bound.add(name)

    def support(self, name: str, line: int) -> py.Expr:
        """A builtin function by its Python name, which the machine defines when the code runs."""
        self.builtins[name] = None
        return py.name(name, line)

    def builtin(self, primitive: Primitive, as_value: bool, line: int) -> py.Expr:
        """The function of a primitive: called with all its arguments, or as a value."""
        if primitive.is_operator:
            kind, name = ("O", primitive.name) if as_value else ("o", primitive.symbol)
        else:
            # Most primitives are their own values; `primitive_values.py` has the others.
            binds_keywords = as_value and primitive.signature.takes_keywords
            kind, name = ("v", primitive.name) if binds_keywords else ("b", primitive.symbol)
            if kind == "b" and not as_value and name in DIRECT:
                kind = "n"
        return self.support(f"{kind}:{name}", line)

    # Order of evaluation.

    def expressions(self, cores: Sequence[Core]) -> list[py.Expr]:
        """Expressions to be used in one Python expression, in the order given.

        If a later one needs statements, the ones before it are evaluated into temporaries first.
        """
        if not cores:
            return []
        outside = self.function_state.body
        values: list[py.Expr] = []
        written: list[list[py.Stmt]] = []  # the statements that each needs
        for core in cores:
            self.function_state.body = []
            values.append(self.expression(core))
            written.append(self.function_state.body)
        self.function_state.body = outside
        if not any(written):
            return values
        last = max((i for i, s in enumerate(written) if _have_effects(s)), default=-1)
        for i, statements in enumerate(written):
            outside.extend(statements)
            if i < last:
                values[i] = self._kept(values[i])
        return values

    def _kept(self, value: py.Expr) -> py.Expr:
        if self.is_stable(value):
            return value
        temporary = self.temporary()
        self.write(py.assign(temporary, value, value.lineno))
        return py.name(temporary, value.lineno)

    def is_stable(self, value: py.Expr) -> bool:
        """Whether every evaluation gives the same value and costs nothing."""
        match value:
            case ast.Constant():
                return True
            case ast.Name(identifier):
                return not identifier.startswith(("p:", "l:")) and identifier not in self.mutable
            case _:
                return False

    def reusable(self, value: py.Expr) -> tuple[py.Expr, py.Expr]:
        """Two expressions for one value: the first use, which evaluates it, and later uses."""
        if self.is_stable(value):
            return value, value
        temporary = self.temporary()
        return py.bind(temporary, value, value.lineno), py.name(temporary, value.lineno)


class _Collected:
    """What `block` returns; a generator as context manager takes several times as long."""

    __slots__ = ("outside", "state")

    def __init__(self, state: "FunctionState") -> None:
        self.state = state

    def __enter__(self) -> list[py.Stmt]:
        self.outside, self.state.body = self.state.body, []
        return self.state.body

    def __exit__(self, *_: object) -> None:
        self.state.body = self.outside


def _have_effects(statements: list[py.Stmt]) -> bool:
    """Whether it matters when they run; creating a procedure has no effect."""
    return any(not isinstance(s, ast.FunctionDef) for s in statements)


def is_immediate(core: Core) -> bool:
    """Whether it is a constant that `is` compares correctly: numbers are not."""
    match core:
        case Const(Special() | Boolean() | Character() | Keyword() | Symbol()):
            return True
        case Const(List((), None)):
            return True
        case _:
            return False


def uses(core: Core, name: str) -> bool:
    """Whether a local variable is mentioned."""
    pending = [core]
    while pending:
        node = pending.pop()
        if isinstance(node, Local) and node.name == name:
            return True
        pending.extend(children(node))
    return False
