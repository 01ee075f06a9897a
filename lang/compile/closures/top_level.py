"""Top-level variables: which are needed, which are procedures that are called directly, which are
local names of main, and which may be used before their definition.

    (define (f x) (g x))     f and g are called directly: they need no variables
    (define (g x) x)
    (define count 0)         count is a variable that `tick` sees
    (define (tick) (set! count (+ count 1)))
    (define limit 10)        only top-level forms use limit: a local name of main, freed at its last
                             use, unless that is far away

Runs on the forms of the library and of the program together, and drops what the program does not
reach.
"""

from lambent.lang.compile.closures.first_uses import Key, Mentions, first_uses
from lambent.lang.core.ir import (
    Const,
    Core,
    Define,
    Global,
    Lambda,
    Namespace,
    PrimRef,
    Program,
)
from lambent.lang.core.usage import plain_name
from lambent.lang.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Variable:
    """A top-level variable.  once: it has one definition and is never assigned.  early: a use may
    run before the definition."""

    key: Key
    once: bool
    early: bool


@dataclass(frozen=True, slots=True)
class TopLevel:
    """forms: those that are needed, in order.  procedures: those that are called directly.
    variables: all other top-level variables, in the order of their definitions."""

    forms: tuple[Core, ...]
    procedures: dict[Key, Lambda]
    variables: dict[Key, Variable]
    mentions: Mentions


def analyze_top_level(program: Program, mentions: Mentions | None = None) -> TopLevel:
    """The needed forms of a program, and how each top-level variable is kept.

    mentions: those of an earlier program, of which this one has most forms.
    """
    mentions = mentions or Mentions()
    forms = _drop_aliases(_needed(program.forms, mentions), mentions)
    defines: dict[Key, list[tuple[int, Core]]] = {}
    for index, form in enumerate(forms):
        if isinstance(form, Define):
            defines.setdefault((form.name, form.namespace), []).append((index, form.value))
    assigned = {key for form in forms for key in mentions.assigned_in(form)}
    first_use = first_uses(forms, mentions)
    procedures: dict[Key, Lambda] = {}
    variables: dict[Key, Variable] = {}
    for key, definitions in defines.items():
        index, value = definitions[0]
        once = len(definitions) == 1 and key not in assigned
        used = first_use.get(key, len(forms))
        if once and isinstance(value, Lambda) and used >= index:
            procedures[key] = value
        else:
            early = used < index or (used == index and not isinstance(value, Lambda))
            variables[key] = Variable(key, once, early)
    for key in sorted(assigned - defines.keys(), key=lambda key: (key[0], key[1].value)):
        variables[key] = Variable(key, once=False, early=True)
    return TopLevel(tuple(forms), procedures, variables, mentions)


_FAR = 100  # forms


def long_lived(top: TopLevel) -> set[Key]:
    """The variables that are in use over many forms.

    As local names of main they would prevent splitting a long main (`split_top_level.py`).
    """
    first: dict[Key, int] = {}
    found: set[Key] = set()
    if len(top.forms) <= _FAR:
        return found
    for index, form in enumerate(top.forms):
        for key in top.mentions.of(form):
            if index - first.setdefault(key, index) > _FAR:
                found.add(key)
        if isinstance(form, Define):
            first.setdefault((form.name, form.namespace), index)
    return found


def _needed(forms: tuple[Core, ...], mentions: Mentions) -> list[Core]:
    """The forms that have effects, and the definitions that they reach."""
    by_key: dict[Key, list[Define]] = {}
    roots: list[Core] = []
    for form in forms:
        if isinstance(form, Define) and _only_defines(form):
            by_key.setdefault((form.name, form.namespace), []).append(form)
        else:
            roots.append(form)
    reached: set[Key] = set()
    waiting: list[Core] = list(roots)
    kept = {id(form) for form in roots}
    while waiting:
        for key in mentions.of(waiting.pop()):
            if key not in reached:
                reached.add(key)
                waiting.extend(by_key.get(key, ()))
                kept.update(id(form) for form in by_key.get(key, ()))
    return [form for form in forms if id(form) in kept]


def _only_defines(form: Define) -> bool:
    """Whether the definition has no other effect, as all of the library's by convention."""
    return form.namespace is Namespace.LIBRARY or isinstance(
        form.value, Lambda | Const | PrimRef | Global
    )


def _drop_aliases(forms: list[Core], mentions: Mentions) -> list[Core]:
    """The forms without aliases of library procedures that the program redefines, unless a use may
    run before that."""
    first_use = first_uses(forms, mentions)
    redefined: dict[Key, int] = {}
    for index, form in enumerate(forms):
        if isinstance(form, Define) and not _is_alias(form):
            redefined.setdefault((form.name, form.namespace), index)

    def is_unused(form: Core) -> bool:
        if not isinstance(form, Define) or not _is_alias(form):
            return False
        key = form.name, form.namespace
        return key in redefined and _after(first_use.get(key, len(forms)), redefined[key], forms)

    return [form for form in forms if not is_unused(form)]


def _after(use: int, index: int, forms: list[Core]) -> bool:
    form = forms[index]
    return use > index or (
        use == index and isinstance(form, Define) and isinstance(form.value, Lambda)
    )


def _is_alias(form: Define) -> bool:
    """`(define abs abs)`, with which a program that redefines the library's `abs` begins."""
    match form.value:
        case Global(name, Namespace.LIBRARY):
            return form.namespace is Namespace.PROGRAM and name == plain_name(form.name)
        case PrimRef():
            return form.namespace is Namespace.PROGRAM
        case _:
            return False
