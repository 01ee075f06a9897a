"""Loops, gradient modes and threading.

    (do ((i 0 (+ i 1))) ((= i n) i) body)  =>  (letrec ((do (lambda (i) ...))) (do 0))
    (dotimes (i n) body)                   =>  the same, with i from 0 up to n
    (dolist (x list) body)                 =>  (for-each (lambda (x) body) list)

A loop is a procedure that calls itself in tail position; the back ends compile that to jumps.
"""

from collections.abc import Callable, Sequence

from lambent.lang.core.expressions import expression, sequence, unspecified
from lambent.lang.core.forms.bindings import distinct_names
from lambent.lang.core.forms.conditionals import condition
from lambent.lang.core.forms.procedures import body_of
from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    GradMode,
    If,
    Lambda,
    Let,
    Letrec,
    Local,
    PrimCall,
)
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import (
    bad_form,
    core_name,
    listed,
    rewriting_form,
    special_form,
)
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Boolean, Datum, List, Number, Symbol


@special_form("do", "(do ((name start [step]) ...) (test result ...) form ...)")
def _do(form: List, env: Env) -> Core:
    match form.items:
        case (_, List(variables, None), List((test, *results), None), *body):
            parsed = [_variable(datum, form) for datum in variables]
            starts = tuple([expression(start, env) for _, start, _ in parsed])
            loop = env.unit.fresh("do")
            names = distinct_names([(symbol, start) for symbol, start, _ in parsed], form)
            inner, unique = env.bind(names)
            steps = tuple([expression(step, inner) for _, _, step in parsed])
            again = Call(Local(loop, form.span), steps, form.span)
            iteration = sequence([*[expression(datum, inner) for datum in body], again], form.span)
            end = sequence([expression(datum, inner) for datum in results], form.span)
            choice = If(condition(test, inner), end, iteration, form.span)
            function = Lambda("do", tuple(unique), (), None, choice, form.span)
            call = Call(Local(loop, form.span), starts, form.span)
            return Letrec(((loop, function),), call, form.span)
    raise bad_form(form)


def _variable(datum: Datum, form: List) -> tuple[Symbol, Datum, Datum]:
    """Name, start and step; without a step the variable keeps its value."""
    match datum:
        case List((Symbol() as symbol, start), None):
            return symbol, start, symbol
        case List((Symbol() as symbol, start, step), None):
            return symbol, start, step
    raise bad_form(form, datum, "(name start [step])")


@special_form("dotimes", "(dotimes (name count) form ...)")
def _dotimes(form: List, env: Env) -> Core:
    match form.items:
        case (_, List((Symbol() as name, count), None, span), *body):
            limit, loop = env.unit.fresh("count"), env.unit.fresh("dotimes")
            inner, (i,) = env.bind([name])
            one = Const(Number(1, span), span)
            next_i = PrimCall(TABLE["+"], (Local(i, span), one), span)
            again = Call(Local(loop, form.span), (next_i,), form.span)
            iteration = sequence([*_body(body, form, inner), again], form.span)
            test = PrimCall(TABLE["<"], (Local(i, span), Local(limit, span)), span)
            choice = If(test, iteration, unspecified(form.span), form.span)
            function = Lambda("dotimes", (i,), (), None, choice, form.span)
            zero = Const(Number(0, span), span)
            call = Call(Local(loop, form.span), (zero,), form.span)
            repeat = Letrec(((loop, function),), call, form.span)
            return Let(limit, expression(count, env), repeat, form.span)
    raise bad_form(form)


@rewriting_form("dolist", "(dolist (name list [result]) form ...)")
def _dolist(form: List, env: Env) -> Datum:
    match form.items:
        case (_, List((Symbol() as name, items, *result), None), *body) if len(result) < 2:
            parameters = listed(form, name)
            forms = body or [Boolean(False, form.span)]
            procedure = listed(form, core_name("lambda", form, env), parameters, *forms)
            loop = listed(form, core_name("for-each", form, env), procedure, items)
            return listed(form, core_name("begin", form, env), loop, *result)
    raise bad_form(form)


@special_form("while", "(while test form ...)")
def _while(form: List, env: Env) -> Core:
    match form.items:
        case (_, test, *body):
            loop = env.unit.fresh("while")
            again = Call(Local(loop, form.span), (), form.span)
            iteration = sequence([*_body(body, form, env), again], form.span)
            choice = If(condition(test, env), iteration, unspecified(form.span), form.span)
            function = Lambda("while", (), (), None, choice, form.span)
            return Letrec(((loop, function),), again, form.span)
    raise bad_form(form)


def _body(body: Sequence[Datum], form: List, env: Env) -> list[Core]:
    return [body_of(body, form, env)] if body else []


# Gradient modes and threading.


@special_form("no-grad", "(no-grad form ...)")
def _no_grad(form: List, env: Env) -> Core:
    return GradMode(False, body_of(form.items[1:], form, env), form.span)


@special_form("with-grad", "(with-grad form ...)")
def _with_grad(form: List, env: Env) -> Core:
    return GradMode(True, body_of(form.items[1:], form, env), form.span)


@special_form("->", "(-> value (procedure argument ...) ...)")
def _thread_first(form: List, env: Env) -> Core:
    return expression(_threaded(form, lambda head, value, rest: (head, value, *rest)), env)


@special_form("->>", "(->> value (procedure argument ...) ...)")
def _thread_last(form: List, env: Env) -> Core:
    return expression(_threaded(form, lambda head, value, rest: (head, *rest, value)), env)


def _threaded(form: List, put: Callable[[Datum, Datum, Sequence[Datum]], Sequence[Datum]]) -> Datum:
    """The nested calls; put inserts the value among the arguments of a call."""
    if len(form.items) == 1:
        raise bad_form(form)
    result = form.items[1]
    for step in form.items[2:]:
        match step:
            case List((head, *rest), None, span):
                result = List(tuple(put(head, result, rest)), None, span)
            case Symbol():
                result = List((step, result), None, step.span)
            case _:
                raise bad_form(form, step, "a procedure or a call")
    return result
