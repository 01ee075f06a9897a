"""Analysis: from data to Core.

    analyze([(define (f x) (when (> x 0) (car x)))], Scope())
    =>  Define f (Lambda (x) (If (PrimCall > x 0) (PrimCall car x) #<unspecified>))

Every name is resolved, every special form is taken apart, every primitive that is called by name is
bound to its declaration.  The modules beside this one hold the forms; here are top-level forms.
"""

from collections.abc import Sequence

from lambent.lang.core import bindings, conditionals, loops, quasiquote
from lambent.lang.core.expressions import ambient, expression
from lambent.lang.core.forms import shown
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
from lambent.lang.core.traverse import walk
from lambent.lang.deep import call_deep
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, Symbol

# The modules of special forms are imported for their effect on the table of forms.
__all__ = ["analyze", "bindings", "conditionals", "loops", "quasiquote"]

_STANDARD_LIBRARIES = frozenset(
    ("base", "case-lambda", "char", "cxr", "file", "inexact", "lazy", "process-context", "r5rs",
     "read", "time", "write")
)  # fmt: skip
_IMPORT_MODIFIERS = ("only", "except", "prefix", "rename")


def analyze(data: Sequence[Datum], scope: Scope) -> Program:
    """The Core of a source's data; a SyntaxFault for a bad special form."""
    return call_deep(_analyze, data, scope)


def _analyze(data: Sequence[Datum], scope: Scope) -> Program:
    flat = _splice(data)
    defined = frozenset([definition_name(d).name for d in flat if _is_use(d, "define")])
    while True:
        unit = Unit(scope, defined)
        forms = [_top_level(datum, Env(unit)) for datum in flat]
        if unit.claimed <= defined:
            return Program((*_library_values(forms, unit), *forms))
        # A set! of a library's name makes it the program's own, wherever it is mentioned.
        defined |= unit.claimed


def _splice(data: Sequence[Datum]) -> list[Datum]:
    """The top-level forms: what stands in a `begin` in its place, and no imports."""
    flat: list[Datum] = []
    for datum in data:
        if isinstance(datum, List) and _is_use(datum, "begin"):
            flat += _splice(datum.items[1:])
        elif isinstance(datum, List) and _is_use(datum, "import"):
            _check_import(datum)
        else:
            flat.append(datum)
    return flat


def _top_level(datum: Datum, env: Env) -> Core:
    if isinstance(datum, List) and _is_use(datum, "define"):
        name = definition_name(datum).name
        return Define(name, env.unit.scope.home, definition_value(datum, env), datum.span)
    return expression(datum, env)


def _is_use(datum: Datum, name: str) -> bool:
    """Whether a top-level datum defines, begins or imports, whatever the program defines."""
    match datum:
        case List((Symbol(head), *_), None):
            return head == name
    return False


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


def _library_values(forms: Sequence[Core], unit: Unit) -> list[Core]:
    """Definitions to put first: of library names that may be used before the program's own."""
    if unit.scope.home is Home.LIBRARY:
        return []
    values: list[Core] = []
    for name in sorted(unit.defined - unit.scope.program):
        value = ambient(name, forms[0].span, unit)
        if value is not None and _may_run_before_definition(name, forms):
            values.append(Define(name, Home.PROGRAM, value, forms[0].span))
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
