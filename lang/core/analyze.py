"""Analysis: from data to Core.

    analyze([(define (f x) (when (> x 0) (car x)))], Scope())
    =>  Define f (Lambda (x) (If (PrimCall > x 0) (PrimCall car x) #<unspecified>))

Every name is resolved, every special form is replaced, and every primitive that is called by name
is bound to its declaration.  This module handles the top level; the special forms are in `forms/`.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from lambent.lang.core.changes import Changes, History
from lambent.lang.core.denotation import Constant, GlobalName, Macro
from lambent.lang.core.expressions import expanded, expression, macro_use, value_of
from lambent.lang.core.forms import (
    bindings,
    case_lambda,
    conditionals,
    control,
    define_module,
    loops,
    match,
    multiple_values,
    promises,
    quasiquote,
    records,
)
from lambent.lang.core.forms.procedures import definition_name, definition_value
from lambent.lang.core.ir import (
    Const,
    Core,
    Define,
    Global,
    Lambda,
    Namespace,
    PrimRef,
    Program,
    SetGlobal,
)
from lambent.lang.core.lispe.dialect import in_dialect
from lambent.lang.core.macros import macro_forms, syntax_forms
from lambent.lang.core.macros.transformers import macro_definition
from lambent.lang.core.modules import top_level_forms
from lambent.lang.core.scope import Env, Scope, Unit
from lambent.lang.core.special_forms import is_form
from lambent.lang.core.traverse import walk
from lambent.lang.deep import call_deep
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Datum, List, Symbol
from lambent.lang.system.dataclass import dataclass

if TYPE_CHECKING:
    from lambent.lang.core.modules.modules import Module, Modules

# The modules of special forms are imported for their effect on the table of forms.
__all__ = [
    "analyze", "bindings", "case_lambda", "conditionals", "control", "define_module", "loops",
    "macro_forms", "match", "multiple_values", "promises", "quasiquote", "records",
    "syntax_forms", "top_level_forms",
]

# What a module consists of: forms, and imported modules, which run before the items after them.
Item: TypeAlias = "Core | Module"


def analyze(data: Sequence[Datum], scope: Scope) -> Program:
    """The Core of a source's data, with the modules that it imports; a SyntaxFault for a bad form.

    What the source defines and imports is entered into the scope, unless there is an error.
    """
    return call_deep(_analyze, data, scope)


def _analyze(data: Sequence[Datum], scope: Scope) -> Program:
    items, _ = items_of(data, scope)
    if scope.modules is not None:
        return Program(tuple(scope.modules.in_run_order(items)))
    return Program(tuple([item for item in items if isinstance(item, Core)]))


def items_of(data: Sequence[Datum], scope: Scope) -> "tuple[list[Item], Unit]":
    """The forms of a module, and between them the modules that they import."""
    restore = scope.snapshot()
    claimed: set[str] = set()
    try:
        while True:
            unit = Unit(scope)
            items = _items(data, sorted(claimed), unit)
            if unit.claimed <= claimed:
                return items, unit
            # A set! of a library name turns every mention of it into the program's own variable.
            claimed |= unit.claimed
            restore()
    except BaseException:
        restore()
        raise


def _items(data: Sequence[Datum], claimed: Sequence[str], unit: Unit) -> "list[Item]":
    """Two passes: the first finds what is defined, the second analyses the bodies."""
    scope, env = unit.scope, Env(unit)
    scope.changes, scope.at = Changes(), None
    data = in_dialect(data, env)
    before = frozenset(scope.own)
    for name in claimed:
        scope.define(Symbol(name, data[0].span))
    analyzed = list(_definitions_and_expressions(data, env))
    unit.globals |= scope.variables()
    items: list[Item] = []
    positions: dict[int, tuple[Core, int]] = {}
    for form in analyzed:
        if isinstance(form, _TopLevel):
            # In the library, whose files may be read in any order, macros hold for all of them.
            scope.at = None if scope.namespace is Namespace.LIBRARY else form.position
            core = _top_level(form, env)
            items.append(core)
            positions[id(core)] = (core, form.position)
        else:
            items += form
    changes = scope.changes
    is_changed = changes.switch(-1, changes.position)
    scope.history = History(changes, positions) if is_changed else None
    scope.changes = scope.at = None
    forms = [item for item in items if isinstance(item, Core)]
    new = sorted([key for key in scope.own if isinstance(key, str) and key not in before])
    return [*_library_values(forms, new, env), *items]


@dataclass(frozen=True, slots=True)
class _TopLevel:
    """A top-level form after the first pass; name is the variable that it defines."""

    name: GlobalName | None
    datum: Datum
    position: int


_Found: TypeAlias = "_TopLevel | list[Module]"


def _definitions_and_expressions(data: Sequence[Datum], env: Env) -> Iterator[_Found]:
    """The first pass: a `begin` yields the forms in it, an import the modules to run."""
    changes = env.unit.scope.changes
    assert changes is not None
    for datum in data:
        changes.position += 1
        while isinstance(use := macro_use(datum, env), Macro):
            assert isinstance(datum, List), datum
            datum = expanded(datum, use, env)
        if not isinstance(datum, List):
            yield _TopLevel(None, datum, changes.position)
        elif is_form(datum, "begin", env) and datum.tail is None:
            yield from _definitions_and_expressions(datum.items[1:], env)
        elif is_form(datum, "define", env):
            variable = env.unit.scope.define(definition_name(datum))
            yield _TopLevel(variable, datum, changes.position)
        elif (macro := macro_definition(datum, env)) is not None:
            env.unit.scope.enter(*macro)
        elif is_form(datum, "import", env):
            yield _modules(env).import_into(env.unit.scope, datum)
        elif is_form(datum, "define-library", env):
            _modules(env).define_library(datum)
        else:
            yield _TopLevel(None, datum, changes.position)


def _modules(env: Env) -> "Modules":
    modules = env.unit.scope.modules
    assert modules is not None, "the library cannot import modules"
    return modules


def _top_level(form: _TopLevel, env: Env) -> Core:
    """The second pass."""
    match form:
        case _TopLevel(GlobalName(name, namespace), List() as datum):
            return Define(name, namespace, definition_value(datum, env), datum.span)
    return expression(form.datum, env)


# Names that the program shares with the library.


def _library_values(forms: Sequence[Core], new: Sequence[str], env: Env) -> list[Core]:
    """Definitions to put first, of library names that the program also defines.

    They are needed where the program may use such a name before it has defined it.
    """
    if env.unit.scope.namespace is Namespace.LIBRARY:
        return []
    values: list[Core] = []
    for name in new:
        meaning, variable = env.unit.scope.ambient(name), env.unit.scope.own[name].name
        if isinstance(meaning, GlobalName | Primitive | Constant) and _may_run_before_definition(
            variable, forms
        ):
            value = value_of(meaning, Symbol(name, forms[0].span), env)
            values.append(Define(variable, Namespace.PROGRAM, value, forms[0].span))
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
        and node.namespace is Namespace.PROGRAM
        and node.name == name
        for node in walk(core)
    )
