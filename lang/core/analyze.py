"""Analysis: from data to Core.

    analyze([(define (f x) (when (> x 0) (car x)))], Scope())
    =>  Define f (Lambda (x) (If (PrimCall > x 0) (PrimCall car x) #<unspecified>))

Every name is resolved, every special form is taken apart, every primitive that is called by name is
bound to its declaration.  The modules beside this one hold the forms; here are top-level forms.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lambent.lang.core import (
    bindings,
    case_lambda,
    conditionals,
    control,
    loops,
    macros,
    multiple,
    promises,
    quasiquote,
    records,
)
from lambent.lang.core.denotation import Constant, GlobalName, Macro
from lambent.lang.core.expressions import expanded, expression, macro_use, value_of
from lambent.lang.core.forms import is_form, is_word, shown
from lambent.lang.core.ir import (
    Const,
    Core,
    Define,
    Global,
    Home,
    Lambda,
    PrimRef,
    Program,
    SetGlobal,
)
from lambent.lang.core.procedures import definition_name, definition_value
from lambent.lang.core.scope import Env, Scope, Unit
from lambent.lang.core.transformers import macro_definition
from lambent.lang.core.traverse import walk
from lambent.lang.deep import call_deep
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Datum, List, Symbol

# The modules of special forms are imported for their effect on the table of forms.
__all__ = [
    "analyze", "bindings", "case_lambda", "conditionals", "control", "loops", "macros", "multiple",
    "promises", "quasiquote", "records",
]

_STANDARD_LIBRARIES = frozenset(
    ("base", "case-lambda", "char", "cxr", "file", "inexact", "lazy", "process-context", "r5rs",
     "read", "time", "write")
)  # fmt: skip
_IMPORT_MODIFIERS = ("only", "except", "prefix", "rename")


def analyze(data: Sequence[Datum], scope: Scope) -> Program:
    """The Core of a source's data; a SyntaxFault for a bad special form.

    What the source defines is entered into the scope, unless it is faulty.
    """
    return call_deep(_analyze, data, scope)


def _analyze(data: Sequence[Datum], scope: Scope) -> Program:
    return _analyzed(data, scope)[0]


def _analyzed(data: Sequence[Datum], scope: Scope) -> tuple[Program, Unit]:
    restore = scope.snapshot()
    claimed: set[str] = set()
    try:
        while True:
            unit = Unit(scope)
            program = _program(data, sorted(claimed), unit)
            if unit.claimed <= claimed:
                return program, unit
            # A set! of a library's name makes it the program's own, wherever it is mentioned.
            claimed |= unit.claimed
            restore()
    except BaseException:
        restore()
        raise


def _program(data: Sequence[Datum], claimed: Sequence[str], unit: Unit) -> Program:
    """Two sweeps: the first finds what is defined, the second analyses the bodies."""
    scope, env = unit.scope, Env(unit)
    before = frozenset(scope.own)
    for name in claimed:
        scope.define(Symbol(name, data[0].span))
    found = list(_definitions_and_expressions(data, env))
    unit.globals |= scope.variables()
    forms = [_top_level(form, env) for form in found]
    new = sorted([key for key in scope.own if isinstance(key, str) and key not in before])
    return Program((*_library_values(forms, new, env), *forms))


@dataclass(frozen=True, slots=True)
class _TopLevel:
    """A top-level form after the first sweep; name is what it defines."""

    name: GlobalName | None
    datum: Datum


def _definitions_and_expressions(data: Sequence[Datum], env: Env) -> Iterator[_TopLevel]:
    """The first sweep: what stands in a `begin` in its place, and no imports."""
    for datum in data:
        while isinstance(use := macro_use(datum, env), Macro):
            assert isinstance(datum, List), datum
            datum = expanded(datum, use, env)
        if not isinstance(datum, List):
            yield _TopLevel(None, datum)
        elif is_form(datum, "begin", env) and datum.tail is None:
            yield from _definitions_and_expressions(datum.items[1:], env)
        elif is_form(datum, "define", env):
            yield _TopLevel(env.unit.scope.define(definition_name(datum)), datum)
        elif (macro := macro_definition(datum, env)) is not None:
            env.unit.scope.enter(*macro)
        elif datum.items and is_word(datum.items[0], "import", env):
            _check_import(datum)
        else:
            yield _TopLevel(None, datum)


def _top_level(form: _TopLevel, env: Env) -> Core:
    """The second sweep."""
    match form:
        case _TopLevel(GlobalName(name, home), List() as datum):
            return Define(name, home, definition_value(datum, env), datum.span)
    return expression(form.datum, env)


# Imports.


def _check_import(form: List) -> None:
    """The standard libraries are there anyway; others cannot be imported."""
    for item in form.items[1:]:
        library = item
        while (
            isinstance(library, List)
            and len(library.items) > 1
            and isinstance(library.items[0], Symbol)
            and library.items[0].name in _IMPORT_MODIFIERS
        ):
            library = library.items[1]
        match library:
            case List((Symbol("scheme"), Symbol(name)), None) if name in _STANDARD_LIBRARIES:
                continue
        raise SyntaxFault(f"import: unknown library {shown(library)}", library.span)


# Names that the program shares with the library.


def _library_values(forms: Sequence[Core], new: Sequence[str], env: Env) -> list[Core]:
    """Definitions to put first: of library names that may be used before the program's own."""
    if env.unit.scope.home is Home.LIBRARY:
        return []
    values: list[Core] = []
    for name in new:
        meaning, variable = env.unit.scope.ambient(name), env.unit.scope.own[name].name
        if isinstance(meaning, GlobalName | Primitive | Constant) and _may_run_before_definition(
            variable, forms
        ):
            value = value_of(meaning, Symbol(name, forms[0].span), env)
            values.append(Define(variable, Home.PROGRAM, value, forms[0].span))
    return values


def _may_run_before_definition(name: str, forms: Sequence[Core]) -> bool:
    """Whether anything that mentions the name may run before the program defines it."""
    runs = deferred = False
    for form in forms:
        if isinstance(form, Define) and isinstance(form.value, Lambda):
            if form.name == name:
                return runs and deferred
            deferred = deferred or _mentions(form.value, name)
            continue
        value = form.value if isinstance(form, Define) else form
        if _mentions(value, name):
            return True
        if isinstance(form, Define) and form.name == name:
            return runs and deferred
        runs = runs or not isinstance(value, Const | Global | PrimRef)
    return True


def _mentions(core: Core, name: str) -> bool:
    return any(
        isinstance(node, Global | SetGlobal)
        and node.home is Home.PROGRAM
        and node.name == name
        for node in walk(core)
    )
