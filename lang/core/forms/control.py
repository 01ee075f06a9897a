"""The special forms of control: guard, parameterize, fluid-let, with-device,
with-autocast, inference-mode, let/cc, time-it.

Their bodies become procedures, which the library calls (stdlib/language/control.lisp); clauses of
`guard` remain in the enclosing procedure.

    (guard (e (#t value)) body)
    =>  (let result (%guarded (lambda () body))
          (if (%caught? result)
              (let e (%caught-payload result) (if #t value (%pass-on result)))
              result))

The tests of a guard that may decline are a procedure of their own, because `raise-continuable`
calls them, too:

    (guard (e (test value)) body)
    =>  (let guard (%new-guard (lambda (e) (if test (vector 0 test e) #f)))
          (let result (%guarded-by guard (lambda () body))
            (if (%caught? result)
                (let choice (%guard-choice guard result)
                  (if choice (let e (vector-ref choice 2) value) (%pass-on result)))
                result)))
"""

from collections.abc import Sequence

from lambent.lang.core.expressions import expression
from lambent.lang.core.forms.bindings import distinct_names, parse_bindings
from lambent.lang.core.forms.conditionals import (
    always_chooses,
    choice,
    clause_bodies,
    clause_tests,
)
from lambent.lang.core.forms.procedures import body_of
from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Global,
    If,
    Lambda,
    Let,
    Local,
    Namespace,
    PrimCall,
)
from lambent.lang.core.scope import Env
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
from lambent.lang.syntax.source import Source, Span

# The location of calls that traces do not show.
_HIDDEN = Span(Source("", "", library=True), 0, 0)


@special_form("guard", "(guard (name clause ...) form ...)")
def _guard(form: List, env: Env) -> Core:
    match form.items:
        case (_, List((Symbol() as symbol, *clauses), None), _, *_):
            body = _body_procedure(form.items[2:], form, env)
            result = Local(env.unit.fresh("result"), _HIDDEN)
            if not always_chooses(clauses, env):
                return _declining_guard(symbol, clauses, body, form, env)
            inner, (name,) = env.bind([symbol])
            chosen = choice(clauses, _pass_on(result, env), form, inner)
            caught = Let(name, _primitive("%caught-payload", result), chosen, form.span)
            answer = If(_primitive("%caught?", result), caught, result, form.span)
            return Let(result.name, _library("%guarded", body), answer, form.span)
    raise bad_form(form)


def _declining_guard(
    symbol: Symbol, clauses: Sequence[Datum], body: Lambda, form: List, env: Env
) -> Core:
    guard, result, chosen, index = (
        Local(env.unit.fresh(name), _HIDDEN) for name in ("guard", "result", "choice", "clause")
    )
    inner, (tested,) = env.bind([symbol])
    test = clause_tests(clauses, Local(tested, symbol.span), form, inner)
    tests = Lambda(None, (tested,), (), None, test, form.span, is_form_body=True)
    otherwise = _pass_on(result, env)
    if clauses:
        inner, (name,) = env.bind([symbol])
        values = clause_bodies(clauses, index, _item(chosen, 1), form, inner)
        value = Let(name, _item(chosen, 2), values, form.span)
        clause_value = Let(index.name, _item(chosen, 0), value, form.span)
        decided = _library("%guard-choice", guard, result)
        test = If(chosen, clause_value, otherwise, form.span)
        otherwise = Let(chosen.name, decided, test, form.span)
    answer = If(_primitive("%caught?", result), otherwise, result, form.span)
    guarded = Let(result.name, _library("%guarded-by", guard, body), answer, form.span)
    return Let(guard.name, _library("%new-guard", tests), guarded, form.span)


def _item(vector: Local, index: int) -> Core:
    return _primitive("vector-ref", vector, Const(Number(index, _HIDDEN), _HIDDEN))


def _pass_on(caught: Local, env: Env) -> Core:
    """No clause handles the error: raise it again, for the outer handlers.

    It is not a tail call: procedures with a guard keep their direct calls.
    """
    nothing = Local(env.unit.fresh("nothing"), _HIDDEN)
    return Let(nothing.name, _library("%pass-on", caught), nothing, _HIDDEN)


@special_form("parameterize", "(parameterize ((parameter value) ...) form ...)")
def _parameterize(form: List, env: Env) -> Core:
    match form.items:
        case (_, List(bindings, None), _, *_):
            pairs = [_binding(datum, form) for datum in bindings]
            parameters = Local(env.unit.fresh("parameters"), _HIDDEN)
            values = Local(env.unit.fresh("values"), _HIDDEN)
            converted = Call(
                Global("%converted", Namespace.LIBRARY, form.span),
                (parameters, _list([value for _, value in pairs], form, env)),
                form.span,
            )
            body = _body_procedure(form.items[2:], form, env)
            call = Let(
                values.name,
                converted,
                _library("%parameterize", parameters, values, body),
                form.span,
            )
            first = _list([parameter for parameter, _ in pairs], form, env)
            return Let(parameters.name, first, call, form.span)
    raise bad_form(form)


def _binding(datum: Datum, form: List) -> tuple[Datum, Datum]:
    match datum:
        case List((parameter, value), None):
            return parameter, value
    raise bad_form(form, datum, "(parameter value)")


def _list(data: Sequence[Datum], form: List, env: Env) -> Core:
    items = tuple([expression(datum, env) for datum in data])
    return PrimCall(TABLE["list"], items, form.span)


@rewriting_form("fluid-let", "(fluid-let ((name value) ...) body ...)")
def _fluid_let(form: List, env: Env) -> Datum:
    """(let ((new value) ...) (dynamic-wind swap (lambda () body ...) swap)), where swap exchanges
    the values of each name and its new."""
    match form.items:
        case (_, bindings, _, *_):
            pairs = parse_bindings(bindings, form)
            distinct_names(pairs, form)
        case _:
            raise bad_form(form)

    def call(name: str, *items: Datum) -> List:
        return listed(form, core_name(name, form, env), *items)

    others = [fresh_name(name.name, form, env) for name, _ in pairs]
    swap, held = fresh_name("swap", form, env), fresh_name("held", form, env)
    exchanges = [
        call("let", listed(form, listed(form, held, name)),
             call("set!", name, other), call("set!", other, held))
        for (name, _), other in zip(pairs, others, strict=True)
    ]
    no_parameters = listed(form)
    exchange = call("lambda", no_parameters, *exchanges, Boolean(False, form.span))
    body = call("lambda", no_parameters, *form.items[2:])
    wound = call("let", listed(form, listed(form, swap, exchange)),
                 call("dynamic-wind", swap, body, swap))
    values = [
        listed(form, other, value) for (_, value), other in zip(pairs, others, strict=True)
    ]
    return call("let", listed(form, *values), wound)


@special_form("with-device", "(with-device device form ...)")
def _with_device(form: List, env: Env) -> Core:
    match form.items:
        case (_, device, _, *_):
            old = Local(env.unit.fresh("device"), _HIDDEN)
            new = expression(device, env)
            swapped = PrimCall(TABLE["%swap-default-device"], (new,), form.span)
            body = _body_procedure(form.items[2:], form, env)
            return Let(old.name, swapped, _library("%with-device", old, body), form.span)
    raise bad_form(form)


@special_form("with-autocast", "(with-autocast dtype form ...)")
def _with_autocast(form: List, env: Env) -> Core:
    match form.items:
        case (_, dtype, _, *_):
            name = Const(String("with-autocast", _HIDDEN), _HIDDEN)
            checked = PrimCall(TABLE["%procedure"], (name, expression(dtype, env)), form.span)
            body = _body_procedure(form.items[2:], form, env)
            return _library("%with-autocast", checked, body)
    raise bad_form(form)


@special_form("inference-mode", "(inference-mode form ...)")
def _inference_mode(form: List, env: Env) -> Core:
    match form.items:
        case (_, _, *_):
            return _library("%inference-mode", _body_procedure(form.items[1:], form, env))
    raise bad_form(form)


@special_form("let/cc", "(let/cc name form ...)")
def _let_cc(form: List, env: Env) -> Core:
    match form.items:
        case (_, Symbol() as symbol, _, *_):
            inner, names = env.bind([symbol])
            receiver = _body_procedure(form.items[2:], form, inner, names)
            return _library("call-with-current-continuation", receiver)
    raise bad_form(form)


@special_form("time-it", "(time-it form ...)")
def _time_it(form: List, env: Env) -> Core:
    match form.items:
        case (_, _, *_):
            line = Const(Number(form.span.line, form.span), _HIDDEN)
            return _library("%time-it", line, _body_procedure(form.items[1:], form, env))
    raise bad_form(form)


# Bodies.


def _body_procedure(
    body: Sequence[Datum], form: List, env: Env, parameters: Sequence[str] = ()
) -> Lambda:
    """The body as a procedure.  Its last call is not a tail call: the form is not finished then."""
    result = env.unit.fresh("result")
    value = body_of(body, form, env)
    code = Let(result, value, Local(result, form.span), form.span)
    return Lambda(None, tuple(parameters), (), None, code, form.span, is_form_body=True)


def _library(name: str, *arguments: Core) -> Call:
    return Call(Global(name, Namespace.LIBRARY, _HIDDEN), arguments, _HIDDEN)


def _primitive(name: str, *arguments: Core) -> PrimCall:
    return PrimCall(TABLE[name], arguments, _HIDDEN)
