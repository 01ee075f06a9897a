"""Pattern functions of LispE (`defpat`), and the data types that patterns know (`data@`).

    (defpat size ([]) 0)
    (defpat size ([x $ rest]) (+ 1 (size rest)))
    =>  (define (size . arguments)
          (let ((next (lambda () ... the second clause ...)))
            (if (%pattern-list? a 0 #f) 0 (next))))

`dialect.py` joins the clauses of a function, which are forms of their own in the text.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from lambent.lang.core.lispe.building import (
    DICTIONARY,
    Part,
    head_of,
    lispe_form,
    make,
    nil,
    quoted,
    text,
    wrong,
)
from lambent.lang.core.lispe.functions import function_body
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import fresh_name
from lambent.lang.syntax.datum import Boolean, Brackets, Datum, List, Number, String, Symbol

_DEFPAT = "(defpat name (pattern ...) form ...)"
CLAUSES = "%pattern-clauses"
Then: TypeAlias = Callable[[Sequence[tuple[Datum, Symbol]]], Part]


def clause_name(form: List) -> str:
    """The function that a `defpat` form is a clause of."""
    match form.items:
        case (_, Symbol(name), List(_, None), *_):
            return name
    raise wrong(form, _DEFPAT)


def joined(clauses: Sequence[List]) -> List:
    """The form that defines a function with the clauses."""
    first = clauses[0]
    head = Symbol(CLAUSES, first.span)
    parts = [List(clause.items[2:], None, clause.span) for clause in clauses]
    return List((head, first.items[1], *parts), None, first.span)


@lispe_form("defpat", _DEFPAT)
def _defpat(form: List, env: Env) -> Datum:
    """A function of one clause, where it is not at the top level."""
    clause_name(form)
    return _clauses(joined([form]), env)


@lispe_form(CLAUSES, _DEFPAT)
def _clauses(form: List, env: Env) -> Datum:
    name, *clauses = form.items[1:]
    assert isinstance(name, Symbol)
    arguments = fresh_name("arguments", form, env)
    result: Part = ("%no-pattern", text(name.name, form), arguments)
    for clause in reversed(clauses):
        assert isinstance(clause, List)
        result = _clause(clause, arguments, result, env)
    head = List((name,), arguments, form.span)
    return make(form, env, "define", head, result)


def _clause(clause: List, arguments: Symbol, otherwise: Part, env: Env) -> Part:
    """The body of the clause if its patterns match the arguments, else what comes otherwise."""
    patterns, *forms = clause.items
    assert isinstance(patterns, List)
    names: list[Symbol] = []
    following = fresh_name("next", clause, env)
    bound = [symbol.name for symbol in _variables(patterns.items, env)]
    inner: Part = ("let", (), *function_body(forms, bound, clause, env))
    count = Number(len(patterns.items), clause.span)
    tests: list[tuple[Datum, Symbol]] = []
    bindings: list[Part] = []
    for k, pattern in enumerate(patterns.items):
        argument = fresh_name("argument", clause, env)
        bindings.append((argument, ("list-ref", arguments, Number(k, clause.span))))
        tests.append((pattern, argument))
    match = _all_match(tests, names, inner, (following,), clause, env)
    fits: Part = ("=", ("length", arguments), count)
    chosen: Part = ("if", fits, ("let", tuple(bindings), match), (following,))
    return ("let", ((following, ("lambda", (), otherwise)),), chosen)


def _variables(patterns: Sequence[Datum], env: Env) -> list[Symbol]:
    """The variables that patterns bind."""
    variables: list[Symbol] = []
    for pattern in patterns:
        match pattern:
            case Symbol(name) if _is_variable(name, env):
                variables.append(pattern)
            case Brackets(items):
                variables += _variables(items, env)
            case List((Symbol(name), *items)) if name != "quote":
                variables += _variables(items, env)
    return variables


def _is_variable(name: str, env: Env) -> bool:
    dialect = env.unit.scope.dialect
    constructors = () if dialect is None else dialect.constructors
    return name not in ("_", "$", "nil", "true", "false") and name not in constructors


def _all_match(
    tests: Sequence[tuple[Datum, Symbol]],
    bound: list[Symbol],
    success: Part,
    failure: Part,
    form: List,
    env: Env,
) -> Part:
    """The success if each pattern matches its value.  bound: the variables bound so far."""
    if not tests:
        return success
    (pattern, value), *others = tests

    def then(more: Sequence[tuple[Datum, Symbol]] = ()) -> Part:
        return _all_match([*more, *others], bound, success, failure, form, env)

    match pattern:
        case Symbol("_"):
            return then()
        case Symbol(name) if _is_variable(name, env):
            if any(symbol.name == name for symbol in bound):
                return ("if", ("%same?", value, pattern), then(), failure)
            bound.append(pattern)
            return ("let", ((pattern, value),), then())
        case Symbol(name):
            wanted = pattern if name in ("nil", "true", "false") else quoted(pattern, form, env)
            return ("if", ("%same?", value, wanted), then(), failure)
        case Number() | String() | Boolean():
            return ("if", ("%same?", value, pattern), then(), failure)
        case Brackets(items):
            return _list_pattern(items, value, then, failure, form, env)
        case List((Symbol("quote"), _), None):
            return ("if", ("%same?", value, pattern), then(), failure)
        case List((), None):
            return _list_pattern((), value, then, failure, form, env)
        case List((Symbol(name), *items), None) if name == DICTIONARY:
            return _dictionary_pattern(items, value, then, failure, form, env)
        case List((Symbol(name), *items), None) if name.endswith("_") and items:
            test: Part = ("%is-type?", value, quoted(pattern.items[0], form, env))
            return ("if", test, then([(items[-1], value)]), failure)
        case List((Symbol(name), *_), None) if not _is_variable(name, env):
            return _list_pattern(pattern.items, value, then, failure, form, env)
        case List((_, *_, Symbol() as variable), None):
            bound.append(variable)
            tested: Part = ("if", ("%true?", pattern), then(), failure)
            return ("let", ((variable, value),), tested)
    raise wrong(form, "a pattern: a name, a literal, [pattern ...], (type_ name), (test name)")


def _list_pattern(
    items: Sequence[Datum], value: Symbol, then: Then, failure: Part, form: List, env: Env
) -> Part:
    """A list whose elements match; after `$` comes the pattern of the rest."""
    dollar = next((k for k, item in enumerate(items) if item == Symbol("$", form.span)), None)
    fixed = items if dollar is None else items[:dollar]
    count = Number(len(fixed), form.span)
    more: list[tuple[Datum, Symbol]] = []
    bindings: list[Part] = []
    for k, item in enumerate(fixed):
        element = fresh_name("element", form, env)
        bindings.append((element, ("%item", value, Number(k, form.span))))
        more.append((item, element))
    if dollar is not None:
        rest = fresh_name("rest", form, env)
        bindings.append((rest, ("%items-from", value, count)))
        more += [(item, rest) for item in items[dollar + 1 :][:1]]
    test: Part = ("%pattern-list?", value, count, Boolean(dollar is not None, form.span))
    return ("if", test, ("let", tuple(bindings), then(more)), failure)


def _dictionary_pattern(
    items: Sequence[Datum], value: Symbol, then: Then, failure: Part, form: List, env: Env
) -> Part:
    """A dictionary whose values under the keys match."""
    pairs = list(zip(items[::2], items[1::2], strict=False))
    more: list[tuple[Datum, Symbol]] = []
    bindings: list[Part] = []
    test: Part = ("%pattern-keys?", value, ("list", *[key for key, _ in pairs]))
    for key, pattern in pairs:
        element = fresh_name("element", form, env)
        bindings.append((element, ("%item", value, key)))
        more.append((pattern, element))
    return ("if", test, ("let", tuple(bindings), then(more)), failure)


# Data types.


@lispe_form("data@", "(data@ [Name type_ ...] ...)")
def _data(form: List, env: Env) -> Datum:
    """A constructor for each type, which checks its arguments."""
    definitions: list[Part] = []
    for part in types_of(form):
        name, types = part.items[0], part.items[1:]
        assert isinstance(name, Symbol)
        values = fresh_name("values", form, env)
        plain = [_type_name(item) for item in types]
        wanted = quoted(make(form, env, *plain), form, env)
        head = List((name,), values, form.span)
        definitions.append(("define", head, ("%data", quoted(name, form, env), wanted, values)))
    return make(form, env, "begin", *definitions, nil(form))


def _type_name(item: Datum) -> Symbol:
    """The name of a type, or of the constructor of a nested one."""
    return item if isinstance(item, Symbol) else Symbol(head_of(_as_list(item)), item.span)


def types_of(form: List) -> list[List]:
    """The types that a `data@` form declares; a name before them is the name of their union."""
    clauses = [_as_list(item) for item in form.items[1:] if isinstance(item, List | Brackets)]
    if not clauses or any(not item.items or not head_of(item) for item in clauses):
        raise wrong(form, "(data@ [Name type_ ...] ...)")
    return clauses


def _as_list(datum: Datum) -> List:
    if isinstance(datum, Brackets):
        return List(datum.items, None, datum.span)
    assert isinstance(datum, List), datum
    return datum
