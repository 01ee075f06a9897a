"""What all parts of the emitter share: the block being written, temporaries, argument order."""

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Boolean, Character, Keyword, List, Symbol

if TYPE_CHECKING:
    from lambent.lang.interp.emit.constants import ConstantPool
    from lambent.lang.interp.emit.emit import Frame
    from lambent.lang.interp.emit.locations import LocationTable
    from lambent.lang.interp.emit.procedure_analysis import Knowledge


class EmitterBase:
    """The state of the emitter; `emit.Emitter` sets it up."""

    known: "Knowledge"
    locations: "LocationTable"
    constants: "ConstantPool"
    builtins: dict[str, None]
    frame: "Frame"
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
        self.frame.body.append(statement)

    @contextmanager
    def block(self) -> Iterator[list[py.Stmt]]:
        """Collect what is written meanwhile."""
        outside = self.frame.body
        inside: list[py.Stmt] = []
        self.frame.body = inside
        yield inside
        self.frame.body = outside

    def temporary(self) -> str:
        self.frame.temporaries += 1
        return f" {self.frame.temporaries}"

    def bound_here(self, name: str) -> None:
        self.frame.bound.add(name)

    def support(self, name: str, line: int) -> py.Expr:
        """A builtin function by its Python name, which is there when the code runs."""
        self.builtins[name] = None
        return py.name(name, line)

    def builtin(self, primitive: Primitive, as_value: bool, line: int) -> py.Expr:
        """The function of a primitive: called with all its arguments, or as a value."""
        if primitive.is_operator:
            kind, name = ("O", primitive.name) if as_value else ("o", primitive.symbol)
        else:
            # Most primitives are their own values; `primitive_values.py` has the others.
            sorts = as_value and primitive.signature.takes_keywords
            kind, name = ("v", primitive.name) if sorts else ("b", primitive.symbol)
        return self.support(f"{kind}:{name}", line)

    # Order of evaluation.

    def expressions(self, cores: Sequence[Core]) -> list[py.Expr]:
        """Expressions to be used in one Python expression, in the order given.

        Where a later one needs statements, those before it are evaluated into temporaries first.
        """
        parts: list[tuple[list[py.Stmt], py.Expr]] = []
        for core in cores:
            with self.block() as statements:
                value = self.expression(core)
            parts.append((statements, value))
        last = max((i for i, (s, _) in enumerate(parts) if _have_effects(s)), default=-1)
        values: list[py.Expr] = []
        for i, (statements, value) in enumerate(parts):
            self.frame.body.extend(statements)
            values.append(self._kept(value) if i < last else value)
        return values

    def _kept(self, value: py.Expr) -> py.Expr:
        if self.is_stable(value):
            return value
        temporary = self.temporary()
        self.write(py.assign(temporary, value, value.lineno))
        return py.name(temporary, value.lineno)

    def is_stable(self, value: py.Expr) -> bool:
        """Whether it has the same value whenever it is evaluated, and costs nothing."""
        match value:
            case ast.Constant():
                return True
            case ast.Name(identifier):
                return not identifier.startswith(("p:", "l:")) and identifier not in self.mutable
            case _:
                return False

    def reusable(self, value: py.Expr) -> tuple[py.Expr, py.Expr]:
        """Two expressions for one value: one for its first use, which evaluates, one for later."""
        if self.is_stable(value):
            return value, value
        temporary = self.temporary()
        return py.bind(temporary, value, value.lineno), py.name(temporary, value.lineno)


def _have_effects(statements: list[py.Stmt]) -> bool:
    """Whether it matters when they run; making a procedure does not."""
    return any(not isinstance(s, ast.FunctionDef) for s in statements)


def is_immediate(core: Core) -> bool:
    """Whether it is a constant that `is` compares: no number."""
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
        part = pending.pop()
        if isinstance(part, Local) and part.name == name:
            return True
        pending.extend(children(part))
    return False
