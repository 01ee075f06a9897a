"""The special forms that bind and assign variables.

    (let ((x 1) (y 2)) body)   =>  (let x 1 (let y 2 body)): unique names make the order harmless
    (let loop ((i 0)) body)    =>  (letrec ((loop (lambda (i) body))) (loop 0))
"""

from collections.abc import Sequence

from lambent.lang.core.denotation import Alias, Key, Macro, key_of
from lambent.lang.core.expressions import expression, reference, sequence, unspecified
from lambent.lang.core.forms.letrec import Step, assemble, recursive
from lambent.lang.core.forms.procedures import body_of, named, procedure, step
from lambent.lang.core.ir import (
    Call,
    Core,
    Global,
    Lambda,
    Let,
    Local,
    Namespace,
    SetGlobal,
    SetLocal,
    Unbound,
)
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, shown, special_form
from lambent.lang.core.usage import module_of
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, Symbol

_BINDINGS = "((name value) ...)"


@special_form("lambda", "(lambda (parameter ...) body ...)")
def _lambda(form: List, env: Env) -> Core:
    match form.items:
        case (_, parameters, _, *_):
            return procedure(None, parameters, form.items[2:], form, env)
    raise bad_form(form)


@special_form("define", "(define name value) or (define (name parameter ...) body ...)")
def _define(form: List, env: Env) -> Core:
    """Definitions are handled where they are allowed: this one is not."""
    raise SyntaxFault("define: expected at the top level or directly in a body", form.span)


@special_form("let", "(let ((name value) ...) body ...)")
def _let(form: List, env: Env) -> Core:
    match form.items:
        case (_, Symbol(), Symbol("=" | ":="), _):
            pass
        case (_, Symbol() as name, bindings, _, *_):
            return _named_let(name, parse_bindings(bindings, form), form, env)
        case (_, List() as bindings, _, *_):
            pairs = parse_bindings(bindings, form)
            values = [named(expression(value, env), symbol.name) for symbol, value in pairs]
            inner, unique = env.bind(distinct_names(pairs, form))
            result = body_of(form.items[2:], form, inner)
            for local, value in reversed(list(zip(unique, values, strict=True))):
                result = Let(local, value, result, form.span)
            return result
    raise bad_form(form, hint=_meant_let(form))


def _meant_let(form: List) -> str | None:
    """The forms that `(let x 3)` and `(let x = 3)` stand for."""
    match form.items:
        case (_, Symbol() as name, value) | (_, Symbol() as name, Symbol("=" | ":="), value):
            pair = f"{shown(name)} {shown(value)}"
            return f"write (let (({pair})) body ...), or (define {pair})"
    return None


def _named_let(
    name: Symbol, pairs: Sequence[tuple[Symbol, Datum]], form: List, env: Env
) -> Core:
    values = tuple([expression(value, env) for _, value in pairs])
    outer, (loop,) = env.bind([name])
    inner, parameters = outer.bind(distinct_names(pairs, form))
    body = body_of(form.items[3:], form, inner)
    function = Lambda(name.name, tuple(parameters), (), None, body, form.span)
    call = Call(Local(loop, form.span), values, form.span)
    return recursive(loop, function, call, env.unit.assigned, form.span)


@special_form("let*", "(let* ((name value) ...) body ...)")
def _let_star(form: List, env: Env) -> Core:
    match form.items:
        case (_, bindings, _, *_):
            bound: list[tuple[str, Core]] = []
            for symbol, datum in parse_bindings(bindings, form):
                value = named(expression(datum, env), symbol.name)
                env, (local,) = env.bind([symbol])
                bound.append((local, value))
            result = body_of(form.items[2:], form, env)
            for local, value in reversed(bound):
                result = Let(local, value, result, form.span)
            return result
    raise bad_form(form)


@special_form("letrec", "(letrec ((name value) ...) body ...)")
def _letrec(form: List, env: Env) -> Core:
    match form.items:
        case (_, bindings, _, *_):
            pairs = parse_bindings(bindings, form)
            inner, unique = env.bind(distinct_names(pairs, form))
            steps = [
                _letrec_step(local, symbol, value, inner)
                for local, (symbol, value) in zip(unique, pairs, strict=True)
            ]
            steps.append(step(None, _letrec_body, form, inner))
            return assemble(steps, env.unit.assigned, form.span)
    raise bad_form(form)


def _letrec_step(local: str, symbol: Symbol, datum: Datum, env: Env) -> Step:
    def value(datum: Datum, env: Env) -> Core:
        return named(expression(datum, env), symbol.name)

    return step(local, value, datum, env)


def _letrec_body(form: List, env: Env) -> Core:
    return body_of(form.items[2:], form, env)


special_form("letrec*", "(letrec* ((name value) ...) body ...)")(_letrec)


@special_form("begin", "(begin form ...)")
def _begin(form: List, env: Env) -> Core:
    if len(form.items) == 1:
        if isinstance(form.items[0], Alias):  # the expansion of a form without contents
            return unspecified(form.span)
        raise bad_form(form)
    return sequence([expression(item, env) for item in form.items[1:]], form.span)


@special_form("begin0", "(begin0 form form ...)")
def _begin0(form: List, env: Env) -> Core:
    match form.items:
        case (_, first, *others):
            result = env.unit.fresh("result")
            value = expression(first, env)
            forms = [expression(item, env) for item in others]
            after = sequence([*forms, Local(result, form.span)], form.span)
            return Let(result, value, after, form.span)
    raise bad_form(form)


@special_form("set!", "(set! name value)")
def _set(form: List, env: Env) -> Core:
    match form.items:
        case (_, Symbol() as symbol, datum):
            meaning = env.resolve(symbol)
            if isinstance(meaning, Macro) and meaning.assigned is not None:
                return expression(meaning.assigned(form, env), env)
            value = expression(datum, env)
            if (local := env.lookup(symbol)) is not None:
                env.unit.assigned.add(local)
                env.unit.mentioned.append(local)
                return SetLocal(local, value, form.span)
            return _set_global(symbol, value, form, env)
    raise bad_form(form)


def _set_global(symbol: Symbol, value: Core, form: List, env: Env) -> Core:
    match reference(symbol, env):
        case Global(name, namespace) if namespace is env.unit.scope.namespace:
            _check_own(symbol, name, env)
            return SetGlobal(name, namespace, value, form.span)
        case Unbound() as unbound:
            return Let(env.unit.fresh("value"), value, unbound, form.span)
    # A library name: the program gets its own variable, as with `define`.
    env.unit.claimed.add(symbol.name)
    unique = env.unit.scope.core_name(symbol.name)
    return SetGlobal(unique, Namespace.PROGRAM, value, form.span)


def _check_own(symbol: Symbol, unique: str, env: Env) -> None:
    """Only the code of a module, including its macros, may change its variables."""
    scope = env.unit.scope
    modules = [scope.module]
    while isinstance(symbol, Alias):
        modules.append(symbol.env.unit.scope.module)
        symbol = symbol.original
    if module_of(unique) not in modules:
        title = scope.imported.get(symbol.name, module_of(unique))
        message = f"set!: {symbol.name} is imported from {title}"
        raise SyntaxFault(message, symbol.span, hint="a procedure of that module can set it")


# Binding lists.


def parse_bindings(datum: Datum, form: List) -> list[tuple[Symbol, Datum]]:
    """The names and values of `((name value) ...)`."""
    if not isinstance(datum, List) or datum.tail is not None:
        raise bad_form(form, datum, _BINDINGS)
    pairs: list[tuple[Symbol, Datum]] = []
    for item in datum.items:
        match item:
            case List((Symbol() as symbol, value), None):
                pairs.append((symbol, value))
            case _:
                raise bad_form(form, datum, _BINDINGS, _one_binding(datum))
    return pairs


def _one_binding(datum: List) -> str | None:
    """The hint for `(x 1)`, one binding where a list of them is expected."""
    match datum.items:
        case (Symbol(), _):
            return f"write ({shown(datum)})"
    return None


def distinct_names(pairs: Sequence[tuple[Symbol, Datum]], form: List) -> list[Symbol]:
    """The names of a binding list; an error if one is bound twice."""
    seen: set[Key] = set()
    for symbol, _ in pairs:
        if key_of(symbol) in seen:
            head = form.items[0]
            assert isinstance(head, Symbol), head
            raise SyntaxFault(f"{head.name}: {symbol.name} is bound twice", symbol.span)
        seen.add(key_of(symbol))
    return [symbol for symbol, _ in pairs]
