"""The verifier of Core: names are unique and in scope, and definitions are at the top level only.

    (lambda f (x) x)     right
    (lambda f (x) y)     CoreError: demo.lisp:1:1: y is not in scope

The analysis establishes these rules by construction, so this runs in tests and if LAMBENT_VERIFY is
set, not at each compilation.
"""

from typing import NoReturn

from lambent.lang.core.direct_calls import bound_by
from lambent.lang.core.ir import (
    Begin,
    Core,
    Define,
    Global,
    Let,
    Local,
    Namespace,
    Program,
    SetGlobal,
    SetLocal,
)
from lambent.lang.core.traverse import children
from lambent.lang.system.dataclass import dataclass, field


class CoreError(Exception):
    """Core that breaks a rule of ir.py: a bug in Lambent, never the user's mistake."""


def check_core(program: Program) -> None:
    """Raise CoreError unless every form of a program follows the rules."""
    _check(program, _Checker())


def check_whole_core(program: Program) -> None:
    """Like `check_core`, for a program with its library: every library name is defined, too."""
    defines = [form for form in program.forms if isinstance(form, Define)]
    names = {d.name for d in defines if d.namespace is Namespace.LIBRARY}
    _check(program, _Checker(names | program.externals.heads.keys() | program.externals.variables))


def _check(program: Program, checker: "_Checker") -> None:
    for form in program.forms:
        # Libraries and the program are analysed separately, and may use the same names.
        checker.bound = checker.names.setdefault(form.span.source.name, set())
        checker.check(form.value if isinstance(form, Define) else form)


def _require(holds: bool, node: Core, message: str) -> None:
    if not holds:
        _fail(node, message)


def _fail(node: Core, message: str) -> NoReturn:
    raise CoreError(f"{node.span.location}: {message}")


@dataclass(slots=True)
class _Checker:
    """library: the names that it defines, if the program has it.

    names: the local variables that each source binds.  bound: those of the current source.
    scope: those that the current expression sees.
    """

    library: set[str] | None = None
    names: dict[str, set[str]] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    scope: set[str] = field(default_factory=set)

    def check(self, core: Core) -> None:
        match core:
            case Local(name) | SetLocal(name):
                _require(name in self.scope, core, f"{name} is not in scope")
            case Global(name, Namespace.LIBRARY) | SetGlobal(name, Namespace.LIBRARY):
                is_defined = self.library is None or name in self.library
                _require(is_defined, core, f"{name} is not defined")
            case Define(name):
                _fail(core, f"a definition of {name} inside a form")
            case Begin(()):
                _fail(core, "a begin of no forms")
        inner = children(core)
        if isinstance(core, Let):
            self.check(core.value)
            inner = (core.body,)
        names = bound_by(core)
        for name in names:
            _require(name not in self.bound, core, f"{name} is bound twice")
            self.bound.add(name)
        self.scope.update(names)
        for child in inner:
            self.check(child)
        self.scope.difference_update(names)
