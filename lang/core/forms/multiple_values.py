"""Multiple values: the forms that receive them.

    (receive (a . rest) (f) body)   =>  (let v (f) (begin (%check-values "receive" v 1 #f)
                                          (let a (%values-ref v 0)
                                            (let rest (%values-tail v 1) body))))
    (receive (a b) (values 1 2) e)  =>  (let a 1 (let b 2 e)): where producer and receiver are
                                        visible, no object holds the values

    (let-list (((a b) (f))) body)   =>  the same for a list, such as an operator's several results

Every local variable has a unique name, so bindings may be reordered.
"""

from collections.abc import Callable, Sequence

from lambent.lang.core.expressions import expression
from lambent.lang.core.forms.procedures import Parameters, body_of, parse_parameters
from lambent.lang.core.ir import (
    Begin,
    Call,
    Const,
    Core,
    Global,
    Lambda,
    Let,
    Letrec,
    Local,
    PrimCall,
    PrimRef,
)
from lambent.lang.core.primitive_calls import primitive_call
from lambent.lang.core.scope import Env, Unit
from lambent.lang.core.special_forms import (
    bad_form,
    core_name,
    fresh_name,
    listed,
    rewriting_form,
    special_form,
)
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Boolean, Datum, List, Number, String, Symbol
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, replace

_FORMALS = "names, the last of them after a dot if it takes the rest"


@special_form("receive", "(receive (name ...) values body ...)")
def _receive(form: List, env: Env) -> Core:
    match form.items:
        case (_, formals, datum, _, *_):
            parsed = _formals(formals, form)
            value = expression(datum, env)
            inner, unique = env.bind(parsed.names)
            body = body_of(form.items[3:], form, inner)
            names = _split(parsed, unique)
            return _bind(_VALUES, "receive", value, names, body, form.span, env.unit)
    raise bad_form(form)


@special_form("let-values", "(let-values (((name ...) values) ...) body ...)")
def _let_values(form: List, env: Env) -> Core:
    return _nested(_VALUES, form, env, sequential=False)


@special_form("let*-values", "(let*-values (((name ...) values) ...) body ...)")
def _let_star_values(form: List, env: Env) -> Core:
    return _nested(_VALUES, form, env, sequential=True)


@special_form("let-list", "(let-list (((name ...) list) ...) body ...)")
def _let_list(form: List, env: Env) -> Core:
    return _nested(_LIST, form, env, sequential=False)


def _nested(source: "_Source", form: List, env: Env, sequential: bool) -> Core:
    """sequential: each binding sees the earlier ones."""
    match form.items:
        case (Symbol(who), List(bindings, None), _, *_):
            pass
        case _:
            raise bad_form(form)
    inner = env
    steps: list[Callable[[Core], Core]] = []
    for binding in bindings:
        match binding:
            case List((formals, datum), None):
                parsed = _formals(formals, form)
                value = expression(datum, inner if sequential else env)
                inner, unique = inner.bind(parsed.names)
                names = _split(parsed, unique)
                steps.append(_step(source, who, value, names, form.span, env.unit))
            case _:
                raise bad_form(form, binding, f"((name ...) {source.noun})")
    result = body_of(form.items[2:], form, inner)
    for step in reversed(steps):
        result = step(result)
    return result


def _step(
    source: "_Source", who: str, value: Core, names: "Names", span: Span, unit: Unit
) -> Callable[[Core], Core]:
    return lambda body: _bind(source, who, value, names, body, span, unit)


def _formals(datum: Datum, form: List) -> Parameters:
    """Formals are a parameter list without keywords."""
    match datum:
        case Symbol() | List():
            parsed = parse_parameters(datum, form)
            if not parsed.keywords:
                return parsed
    raise bad_form(form, datum, _FORMALS)


# Receiving.

# The unique names of the variables, and of the one for the list of the remaining values.
Names = tuple[Sequence[str], str | None]


@dataclass(frozen=True, slots=True)
class _Source:
    """What is taken apart.

    maker: the primitive whose visible call makes one.  check: the primitive that checks how many
    items it has.  item, tail: the expressions for the item at an index, and the list from there on.
    """

    noun: str
    maker: str
    check: str
    item: Callable[[Core, int, Span], Core]
    tail: Callable[[Core, int, Span], Core]


def _value_item(values: Core, k: int, span: Span) -> Core:
    return PrimCall(TABLE["%values-ref"], (values, _number(k, span)), span)


def _values_tail(values: Core, k: int, span: Span) -> Core:
    return PrimCall(TABLE["%values-tail"], (values, _number(k, span)), span)


def _list_item(items: Core, k: int, span: Span) -> Core:
    return PrimCall(TABLE["car"], (_list_tail(items, k, span),), span)


def _list_tail(items: Core, k: int, span: Span) -> Core:
    for _ in range(k):
        items = PrimCall(TABLE["cdr"], (items,), span)
    return items


_VALUES = _Source("values", "values", "%check-values", _value_item, _values_tail)
_OF_TWO = (TABLE["%first-of-two"], TABLE["%second-of-two"])
_LIST = _Source("list", "list", "%check-list", _list_item, _list_tail)


def _split(formals: Parameters, unique: Sequence[str]) -> Names:
    return unique[: len(formals.required)], unique[-1] if formals.rest else None


def _bind(
    source: _Source, who: str, value: Core, names: Names, body: Core, span: Span, unit: Unit
) -> Core:
    """The body with the names bound to the items of one expression."""
    required, rest = names
    match value:
        case Let(_, _, inner):
            return replace(value, body=_bind(source, who, inner, names, body, span, unit))
        case Letrec(_, inner):
            return replace(value, body=_bind(source, who, inner, names, body, span, unit))
        case Begin(forms):
            last = _bind(source, who, forms[-1], names, body, span, unit)
            return Begin((*forms[:-1], last), value.span)
        case PrimCall(primitive, arguments) if primitive is TABLE[source.maker]:
            count = len(arguments)
            if count == len(required) or (rest is not None and count > len(required)):
                return _bind_each(value, names, body)
    if source is _VALUES and not required and rest is not None and _is_single(value):
        return Let(rest, PrimCall(TABLE["list"], (value,), span), body, span)
    held = unit.fresh("values")
    reference = Local(held, span)
    result = _take_apart(source, reference, names, body, span)
    check = _check(source, who, reference, names, span)
    return Let(held, value, Begin((check, result), span), span)


def _is_single(value: Core) -> bool:
    return isinstance(value, Const | Local | Lambda)


def _bind_each(values: PrimCall, names: Names, body: Core) -> Core:
    required, rest = names
    span, arguments = values.span, values.arguments
    if rest is not None:
        body = Let(rest, PrimCall(TABLE["list"], arguments[len(required) :], span), body, span)
    for name, argument in reversed(list(zip(required, arguments, strict=False))):
        body = Let(name, argument, body, span)
    return body


def _check(source: _Source, who: str, values: Core, names: Names, span: Span) -> Core:
    required, rest = names
    count = _number(len(required), span)
    most = Const(Boolean(False, span), span) if rest is not None else count
    return PrimCall(TABLE[source.check], (Const(String(who, span), span), values, count, most),
                    span)


def _take_apart(source: _Source, values: Core, names: Names, body: Core, span: Span) -> Core:
    required, rest = names
    if rest is not None:
        body = Let(rest, source.tail(values, len(required), span), body, span)
    if source is _VALUES and len(required) == 1 and rest is None:
        return Let(required[0], values, body, span)
    if source is _VALUES and len(required) == 2 and rest is None:
        items: list[Core] = [PrimCall(primitive, (values,), span) for primitive in _OF_TWO]
    else:
        items = [source.item(values, k, span) for k in range(len(required))]
    for name, item in reversed(list(zip(required, items, strict=True))):
        body = Let(name, item, body, span)
    return body


def _number(value: int, span: Span) -> Core:
    return Const(Number(value, span), span)


# Calls of `call-with-values`.


def call_with_values(producer: Core, consumer: Core, span: Span, unit: Unit) -> Core | None:
    """The call without closures for literal lambdas; None if it must remain a call."""
    match producer:
        case Lambda(_, (), (), None, body):
            value = body
        case Lambda():
            return None
        case _:
            value = Call(producer, (), span)
    match consumer:
        case Lambda(_, parameters, (), rest, body):
            names = (parameters, rest)
            return _bind(_VALUES, "call-with-values", value, names, body, span, unit)
        case PrimRef() | Global() | Local():
            pass
        case _:
            return None
    match value:
        case PrimCall(primitive, arguments) if primitive is TABLE["values"]:
            if isinstance(consumer, PrimRef):
                return primitive_call(consumer.primitive, arguments, span, unit)
            return Call(consumer, arguments, span)
    items = unit.fresh("values")
    spread = PrimCall(TABLE["apply"], (consumer, Local(items, span)), span)
    tail = PrimCall(TABLE["%values-tail"], (value, _number(0, span)), span)
    return Let(items, tail, spread, span)


# Definitions.


@rewriting_form("define-values", "(define-values (name ...) values)")
def _define_values(form: List, env: Env) -> Datum:
    """(define v values), the check, and a define for each name.

    A top-level v is set to #f at the end, so that it does not keep the values alive.
    """
    match form.items:
        case (_, formals, datum):
            parsed = _formals(formals, form)
        case _:
            raise bad_form(form)
    span = form.span

    def call(name: str, *items: Datum) -> List:
        return listed(form, core_name(name, form, env), *items)

    count = Number(len(parsed.required), span)
    most = Boolean(False, span) if parsed.rest else count
    names = [*parsed.required, *([parsed.rest] if parsed.rest else [])]
    held = fresh_name(env.unit.fresh("%values"), form, env)
    checked = call("%checked-values", String("define-values", span), count, most, datum)
    if not names:
        return checked
    definitions: list[Datum] = [call("define", held, checked)]
    for k, name in enumerate(parsed.required):
        definitions.append(call("define", name, call("%values-ref", held, Number(k, span))))
    if parsed.rest:
        definitions.append(call("define", parsed.rest, call("%values-tail", held, count)))
    if env.outer is None:
        definitions.append(call("define", held, Boolean(False, span)))
    return call("begin", *definitions)


@special_form("%checked-values", "(%checked-values name least most values)")
def _checked_values(form: List, env: Env) -> Core:
    """The values, after their number has been checked."""
    who, least, most, datum = form.items[1:]
    span, held = form.span, env.unit.fresh("values")
    arguments = (Const(who, span), Local(held, span), Const(least, span), Const(most, span))
    check = PrimCall(TABLE["%check-values"], arguments, span)
    return Let(held, expression(datum, env), Begin((check, Local(held, span)), span), span)
