"""Conditional special forms.

    (cond (a 1) (else 2))           =>  (if a 1 2)
    (case k ((1 2) 'low) (else x))  =>  (let key k (if (if (eqv? key 1) #t (eqv? key 2)) 'low x))
    (or a b)                        =>  (let or a (if or or b))
"""

from collections.abc import Sequence

from lambent.lang.core.expressions import call_of, constant, expression, unspecified
from lambent.lang.core.forms.procedures import body_of
from lambent.lang.core.ir import Const, Core, If, Let, Local, PrimCall
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, is_form, is_word, shown, special_form
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.signature import Type
from lambent.lang.syntax.datum import Boolean, Datum, List, Number, String, Symbol
from lambent.lang.syntax.source import Span

# What other languages write between the parts.
_WORDS_OF_IF = ("then", "else")


@special_form("if", "(if test then [else])")
def _if(form: List, env: Env) -> Core:
    match form.items:
        case (_, test, then):
            chosen = expression(then, env)
            return If(condition(test, env), chosen, unspecified(form.span), form.span)
        case (_, test, then, orelse):
            chosen = expression(then, env)
            return If(condition(test, env), chosen, expression(orelse, env), form.span)
    raise bad_form(form, hint=_meant_if(form))


def _meant_if(form: List) -> str | None:
    """The form that `(if test then a else b)` stands for, or what holds several forms."""
    _, *parts = form.items
    kept = [p for p in parts if not (isinstance(p, Symbol) and p.name in _WORDS_OF_IF)]
    if len(kept) < len(parts) and 2 <= len(kept) <= 3:
        return f"write {shown(List((form.items[0], *kept), None, form.span))}"
    if len(parts) > 3:
        return "(begin form ...) makes one form of several; (cond (test form ...) (else form ...))"
    return None


@special_form("when", "(when test form ...)")
def _when(form: List, env: Env) -> Core:
    test, body = _test_and_body(form, env)
    return If(test, body, unspecified(form.span), form.span)


@special_form("unless", "(unless test form ...)")
def _unless(form: List, env: Env) -> Core:
    test, body = _test_and_body(form, env)
    return If(test, unspecified(form.span), body, form.span)


def _test_and_body(form: List, env: Env) -> tuple[Core, Core]:
    match form.items:
        case (_, test, _, *_):
            return condition(test, env), body_of(form.items[2:], form, env)
    raise bad_form(form)


@special_form("and", "(and form ...)")
def _and(form: List, env: Env) -> Core:
    values = [expression(item, env) for item in form.items[1:]]
    if not values:
        return _true(form.span)
    result = values[-1]
    for value in reversed(values[:-1]):
        result = If(value, result, _false(form.span), form.span)
    return result


@special_form("or", "(or form ...)")
def _or(form: List, env: Env) -> Core:
    values = [expression(item, env) for item in form.items[1:]]
    if not values:
        return _false(form.span)
    result = values[-1]
    for value in reversed(values[:-1]):
        if _is_boolean(value):
            result = If(value, _true(form.span), result, form.span)
            continue
        local = env.unit.fresh("or")
        tested = Local(local, value.span)
        result = Let(local, value, If(tested, tested, result, form.span), form.span)
    return result


def condition(datum: Datum, env: Env) -> Core:
    """An expression that is only tested: an `or` in it need not keep its values."""
    if isinstance(datum, List) and is_form(datum, "or", env):
        tests = [condition(item, env) for item in datum.items[1:]] or [_false(datum.span)]
        result = tests[-1]
        for test in reversed(tests[:-1]):
            result = If(test, _true(datum.span), result, datum.span)
        return result
    return expression(datum, env)


def _is_boolean(core: Core) -> bool:
    return isinstance(core, PrimCall) and core.primitive.signature.result is Type.BOOLEAN


@special_form("assert", "(assert test)")
def _assert(form: List, env: Env) -> Core:
    match form.items:
        case (_, test):
            text = test.span.text
            as_written = test.span.within is None and "\n" not in text
            message = "assertion failed: " + (text if as_written else shown(test))
            irritants = (Const(String(message, form.span), form.span),)
            failure = PrimCall(TABLE["error"], irritants, form.span)
            return If(condition(test, env), unspecified(form.span), failure, form.span)
    raise bad_form(form)


# cond


@special_form("cond", "(cond (test form ...) ... [(else form ...)])")
def _cond(form: List, env: Env) -> Core:
    return choice(form.items[1:], unspecified(form.span), form, env)


def choice(data: Sequence[Datum], otherwise: Core, form: List, env: Env) -> Core:
    """The clauses of `cond`, or of a form that has such clauses."""
    clauses = [_clause(datum, form) for datum in data]
    _check_else_is_last(clauses, form, env)
    for clause in reversed(clauses):
        otherwise = _cond_clause(clause, otherwise, form, env)
    return otherwise


def _cond_clause(clause: List, otherwise: Core, form: List, env: Env) -> Core:
    head, *body = clause.items
    if is_word(head, "else", env):
        return _clause_body(body, form, env)
    if not body:  # (cond (x)) returns x
        local = env.unit.fresh("test")
        tested = Local(local, head.span)
        chosen = If(tested, tested, otherwise, clause.span)
        return Let(local, expression(head, env), chosen, clause.span)
    if is_word(body[0], "=>", env):
        local = env.unit.fresh("test")
        call = _receive(body, Local(local, head.span), clause, form, env)
        chosen = If(Local(local, head.span), call, otherwise, clause.span)
        return Let(local, expression(head, env), chosen, clause.span)
    return If(condition(head, env), _clause_body(body, form, env), otherwise, clause.span)


def always_chooses(data: Sequence[Datum], env: Env) -> bool:
    """Whether the last clause is for everything: `else`, or a test that is a true constant."""
    last = data[-1] if data else None
    if not isinstance(last, List) or not last.items:
        return False
    test = last.items[0]
    if isinstance(test, Symbol):
        return is_word(test, "else", env)
    return isinstance(test, Number | String) or (isinstance(test, Boolean) and test.value)


def clause_tests(data: Sequence[Datum], value: Core, form: List, env: Env) -> Core:
    """The tests of clauses without their bodies: #(index, what the test returned, value), or #f.

    The clauses, none of which is `else`, are those of `cond`.
    """
    result = _false(form.span)
    for index, clause in reversed(list(enumerate(_clause(datum, form) for datum in data))):
        head = clause.items[0]
        if is_word(head, "else", env):
            raise SyntaxFault("else: expected in the last clause only", clause.span)
        local = env.unit.fresh("test")
        tested = Local(local, head.span)
        number = Const(Number(index, clause.span), clause.span)
        chosen = PrimCall(TABLE["vector"], (number, tested, value), clause.span)
        test = If(tested, chosen, result, clause.span)
        result = Let(local, expression(head, env), test, clause.span)
    return result


def clause_bodies(
    data: Sequence[Datum], index: Local, returned: Core, form: List, env: Env
) -> Core:
    """What the clause of that index returns, if its test has returned that value."""
    result: Core | None = None
    for number, clause in reversed(list(enumerate(_clause(datum, form) for datum in data))):
        _, *body = clause.items
        if not body:
            chosen = returned
        elif is_word(body[0], "=>", env):
            chosen = _receive(body, returned, clause, form, env)
        else:
            chosen = _clause_body(body, form, env)
        if result is None:
            result = chosen
            continue
        wanted = Const(Number(number, clause.span), clause.span)
        test = PrimCall(TABLE["eqv?"], (index, wanted), clause.span)
        result = If(test, chosen, result, clause.span)
    assert result is not None
    return result


def _receive(body: Sequence[Datum], value: Core, clause: List, form: List, env: Env) -> Core:
    """`=> receiver`: the receiver, called with the value."""
    if len(body) != 2:
        raise bad_form(form, clause, "(test => procedure)")
    return call_of(expression(body[1], env), (value,), clause.span, env)


def _clause(datum: Datum, form: List) -> List:
    if isinstance(datum, List) and datum.items and datum.tail is None:
        return datum
    raise bad_form(form, datum, "(test form ...) for a clause")


def _clause_body(body: Sequence[Datum], form: List, env: Env) -> Core:
    if not body:
        raise bad_form(form)
    return body_of(body, form, env)


def _check_else_is_last(clauses: Sequence[List], form: List, env: Env) -> None:
    for clause in clauses[:-1]:
        if is_word(clause.items[0], "else", env):
            raise SyntaxFault("else: expected in the last clause only", clause.span)


# case


@special_form("case", "(case key ((datum ...) form ...) ... [(else form ...)])")
def _case(form: List, env: Env) -> Core:
    match form.items:
        case (_, key, *data):
            clauses = [_clause(datum, form) for datum in data]
            _check_else_is_last(clauses, form, env)
            local = env.unit.fresh("key")
            result = unspecified(form.span)
            for clause in reversed(clauses):
                result = _case_clause(clause, Local(local, key.span), result, form, env)
            return Let(local, expression(key, env), result, form.span)
    raise bad_form(form)


def _case_clause(clause: List, key: Local, otherwise: Core, form: List, env: Env) -> Core:
    head, *body = clause.items
    if body and is_word(body[0], "=>", env):
        chosen = _receive(body, key, clause, form, env)
    else:
        chosen = _clause_body(body, form, env)
    if is_word(head, "else", env):
        return chosen
    if not isinstance(head, List) or head.tail is not None:
        raise bad_form(form, head, "a list of data")
    return If(_is_one_of(key, head.items, clause.span), chosen, otherwise, clause.span)


def _is_one_of(key: Local, data: Sequence[Datum], span: Span) -> Core:
    tests = [PrimCall(TABLE["eqv?"], (key, constant(datum)), span) for datum in data]
    result: Core = tests[-1] if tests else _false(span)
    for test in reversed(tests[:-1]):
        result = If(test, _true(span), result, span)
    return result


def _true(span: Span) -> Core:
    return Const(Boolean(True, span), span)


def _false(span: Span) -> Core:
    return Const(Boolean(False, span), span)
