"""Top-level variables: which are needed, which are procedures that are called directly, which are
local names of main, and which may be used before their definition.

    (define (f x) (g x))     f and g are called directly: they need no variables
    (define (g x) x)
    (define count 0)         count is a variable that `tick` sees
    (define (tick) (set! count (+ count 1)))
    (define limit 10)        only top-level forms use limit: a local name of main, freed at its last
                             use, unless that is far away

Drops what the program does not reach.  Of an open program nothing is dropped, and each of its
variables is one that other code may have defined, and may define again.
"""

from collections.abc import Mapping, Sequence, Set

from lambent.lang.compile.closures.first_uses import Key, Mentions, first_uses
from lambent.lang.core.ir import (
    NO_EXTERNALS,
    Const,
    Core,
    Define,
    Externals,
    Global,
    Lambda,
    Namespace,
    PrimRef,
    Program,
)
from lambent.lang.core.usage import plain_name
from lambent.lang.system.dataclass import dataclass, field


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
    variables: all other top-level variables, in the order of their definitions.
    shared: the variables that the library's code elsewhere may use.  externals: that code.
    exports: the procedures that other code may use."""

    forms: tuple[Core, ...]
    procedures: Mapping[Key, Lambda]
    variables: dict[Key, Variable]
    mentions: Mentions = field(default_factory=Mentions)
    shared: Set[Key] = frozenset()
    externals: Externals = NO_EXTERNALS
    exports: Set[str] = frozenset()
    is_open: bool = False


def analyze_top_level(program: Program, mentions: Mentions | None = None) -> TopLevel:
    """The needed forms of a program, and how each top-level variable is kept.

    mentions: those of an earlier program, of which this one has most forms.
    """
    mentions = mentions or Mentions()
    externals = program.externals
    needed, shared = needed_forms(program, mentions)
    forms = needed if program.is_open else _drop_aliases(needed, mentions, externals)
    defines: dict[Key, list[tuple[int, Core]]] = {}
    for index, form in enumerate(forms):
        if isinstance(form, Define):
            defines.setdefault((form.name, form.namespace), []).append((index, form.value))
    assigned = {key for form in forms for key in mentions.assigned_in(form)}
    first_use = first_uses(forms, mentions, externals)
    procedures: dict[Key, Lambda] = {}
    variables: dict[Key, Variable] = {}
    for key, definitions in defines.items():
        index, value = definitions[0]
        is_library = key[1] is Namespace.LIBRARY
        is_assigned = key in assigned or (is_library and key[0] in externals.assigned)
        once = len(definitions) == 1 and not is_assigned
        used = first_use.get(key, len(forms))
        if program.is_open and not is_library:
            variables[key] = Variable(key, once=False, early=True)
        elif once and isinstance(value, Lambda) and used >= index:
            procedures[key] = value
        else:
            early = used < index or (used == index and not isinstance(value, Lambda))
            variables[key] = Variable(key, once, early and not is_library)
    elsewhere = _defined_elsewhere(forms, mentions, externals, defines.keys())
    variables |= {key: Variable(key, key[0] not in externals.assigned, False) for key in elsewhere}
    if program.is_open:
        variables |= _used(forms, mentions, externals, variables.keys() | procedures.keys())
    for key in sorted(assigned - variables.keys() - procedures.keys(), key=_in_order):
        variables[key] = Variable(key, once=False, early=True)
    return TopLevel(
        tuple(forms), procedures, variables, mentions, shared, externals, program.exports,
        program.is_open,
    )  # fmt: skip


def _in_order(key: Key) -> tuple[str, str]:
    return key[0], key[1].value


def _defined_elsewhere(
    forms: Sequence[Core], mentions: Mentions, externals: Externals, defined: Set[Key]
) -> list[Key]:
    """The library's variables that forms of the library use, but do not define: the program does,
    before it calls any procedure that needs them."""
    used = dict.fromkeys(
        key for form in forms if _is_of_library(form) for key in mentions.of(form)
    )
    return [
        key
        for key in used
        if key[1] is Namespace.LIBRARY and key not in defined and key[0] not in externals.heads
    ]


def _used(
    forms: Sequence[Core], mentions: Mentions, externals: Externals, defined: Set[Key]
) -> dict[Key, Variable]:
    """The variables that an open program uses, but does not define: those of the library have a
    value already."""
    found: dict[Key, Variable] = {}
    for key in dict.fromkeys(key for form in forms for key in mentions.of(form)):
        is_library = key[1] is Namespace.LIBRARY
        if key not in defined and not (is_library and key[0] in externals.heads):
            once = is_library and key[0] not in externals.assigned
            found[key] = Variable(key, once, early=not is_library)
    return found


def _is_exported(form: Core, program: Program) -> bool:
    return _is_of_library(form) and isinstance(form, Define) and form.name in program.exports


def _is_of_library(form: Core) -> bool:
    return isinstance(form, Define) and form.namespace is Namespace.LIBRARY


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


def needed_forms(program: Program, mentions: Mentions) -> tuple[list[Core], set[Key]]:
    """The forms that have effects or are exported, and the definitions that they reach; and the
    variables that the library's code elsewhere reaches."""
    by_key: dict[Key, list[Define]] = {}
    roots: list[Core] = []
    forms, reaches = program.forms, program.externals.reaches
    for form in forms:
        is_root = _is_exported(form, program) or (program.is_open and not _is_of_library(form))
        if isinstance(form, Define) and _only_defines(form) and not is_root:
            by_key.setdefault((form.name, form.namespace), []).append(form)
        else:
            roots.append(form)
    reached, shared = set[Key](), set[Key]()
    waiting: list[Core] = list(roots)
    kept = {id(form) for form in roots}
    while waiting:
        keys = list(mentions.of(waiting.pop()))
        while keys:
            key = keys.pop()
            if key in reached:
                continue
            reached.add(key)
            waiting.extend(by_key.get(key, ()))
            kept.update(id(form) for form in by_key.get(key, ()))
            if key[1] is Namespace.LIBRARY and key not in by_key:
                others = [(name, Namespace.LIBRARY) for name in reaches.get(key[0], ())]
                shared.update(others)
                keys.extend(others)
    return [form for form in forms if id(form) in kept], shared


def _only_defines(form: Define) -> bool:
    """Whether the definition has no other effect, as all of the library's by convention."""
    return form.namespace is Namespace.LIBRARY or isinstance(
        form.value, Lambda | Const | PrimRef | Global
    )


def _drop_aliases(
    forms: list[Core], mentions: Mentions, externals: Externals
) -> list[Core]:
    """The forms without aliases of library procedures that the program redefines, unless a use may
    run before that."""
    first_use = first_uses(forms, mentions, externals)
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
