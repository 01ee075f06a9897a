"""`match` and its relatives: the clause whose pattern a value has.

    (match x ((a . b) body) (_ other))
    =>  (let value x
          (if (pair? value)
              (let a (car value) (let b (cdr value) body))
              other))

`match_parser.py` parses patterns, `match_decisions.py` decides between clauses.  The variables of
a pattern are bound again around the body, because the body may assign them.
"""

from collections.abc import Sequence

from lambent.lang.core.denotation import key_of
from lambent.lang.core.expressions import expression, unspecified
from lambent.lang.core.forms.conditionals import condition
from lambent.lang.core.forms.letrec import recursive
from lambent.lang.core.forms.match_decisions import Decisions
from lambent.lang.core.forms.match_parser import parse_pattern, parse_patterns
from lambent.lang.core.forms.match_patterns import Pattern, variables
from lambent.lang.core.forms.match_rows import Bindings, Error, Failure, Leaf, Row
from lambent.lang.core.forms.match_tests import Facts
from lambent.lang.core.forms.procedures import body_of
from lambent.lang.core.ir import Call, Const, Core, If, Lambda, Let, Local, PrimCall
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import (
    bad_form,
    core_name,
    fresh_name,
    is_word,
    listed,
    rewriting_form,
    special_form,
)
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Boolean, Datum, Keyword, List, Number, String, Symbol
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass

# The local variable that stands for a clause which is never reached: `check/flow.py` reports it.
NEVER_REACHED = "never reached"
# The one for a procedure's name at the head of a pattern, where it is a variable.
NAMES_PROCEDURE = "names a procedure"

_CLAUSE = "(pattern [(=> next)] [:when test] form ...)"
_CLAUSES = f"{_CLAUSE} ..."


@dataclass(frozen=True, slots=True)
class _Clause:
    """One clause; next is the name after `=>`, guard the test after `:when`.

    constructors: the names of procedures that begin patterns in it.
    """

    pattern: Pattern
    next: Symbol | None
    guard: Datum | None
    body: Sequence[Datum]
    datum: List
    reached: list[bool]  # whether some code goes to its body
    constructors: Sequence[Symbol]


@special_form("match", f"(match value {_CLAUSES})")
def _match(form: List, env: Env) -> Core:
    match form.items:
        case (_, datum, *clauses):
            value = env.unit.fresh("value")
            chosen = _chosen(clauses, value, datum.span, form, env)
            return Let(value, expression(datum, env), chosen, form.span)
    raise bad_form(form)


@special_form("match-lambda", f"(match-lambda {_CLAUSES})")
def _match_lambda(form: List, env: Env) -> Core:
    value = env.unit.fresh("value")
    body = _chosen(form.items[1:], value, form.items[0].span, form, env)
    return Lambda(None, (value,), (), None, body, form.span)


@special_form("match-lambda*", f"(match-lambda* {_CLAUSES})")
def _match_lambda_star(form: List, env: Env) -> Core:
    values = env.unit.fresh("values")
    body = _chosen(form.items[1:], values, form.items[0].span, form, env)
    return Lambda(None, (), (), values, body, form.span)


def _chosen(data: Sequence[Datum], value: str, span: Span, form: List, env: Env) -> Core:
    """What the first clause that matches a variable's value returns."""
    clauses = [_clause(datum, form, env) for datum in data]
    decisions = Decisions(env, form.span)
    rows = [
        Row(((value, clause.pattern),), {}, _leaf(clause, form, env)) for clause in clauses
    ]
    result = decisions.decide(rows, Facts(), _error(value, span, form))
    for clause in reversed(clauses):
        if not clause.reached:
            result = _with_notice(NEVER_REACHED, clause.datum.span, result, env)
        for head in clause.constructors:
            result = _with_notice(NAMES_PROCEDURE, head.span, result, env)
    return result


def _with_notice(notice: str, span: Span, core: Core, env: Env) -> Core:
    return Let(env.unit.fresh(notice), unspecified(span), core, span)


def _error(value: str, span: Span, form: List) -> Error:
    """The error for a value that no clause matches, at the expression whose value it is."""
    head = form.items[0]
    assert isinstance(head, Symbol), head
    # A definition's match is its own form, with the name of the definition.
    who = head.name.removeprefix("%")
    message = Const(String(f"{who}: no clause matches", span), span)
    return Error(lambda: PrimCall(TABLE["error"], (message, Local(value, span)), span))


# Clauses.


def _clause(datum: Datum, form: List, env: Env) -> _Clause:
    match datum:
        case List((pattern, *body), None):
            pass
        case _:
            raise bad_form(form, datum, f"{_CLAUSE} for a clause")
    constructors: list[Symbol] = []
    parsed = parse_pattern(pattern, form, env, constructors)
    following, guard = None, None
    match body:
        case [List((Symbol() as arrow, Symbol() as name), None), *rest] if is_word(
            arrow, "=>", env
        ):
            following, body = name, rest
    match body:
        case [Keyword("when"), test, *rest]:
            guard, body = test, rest
    if not body:
        raise bad_form(form, datum, f"{_CLAUSE} for a clause")
    return _Clause(parsed, following, guard, body, datum, [], constructors)


def _leaf(clause: _Clause, form: List, env: Env) -> Leaf:
    """The clause's body, with the pattern's variables and its guard."""
    symbols = variables(clause.pattern)

    def code(bindings: Bindings, facts: Facts, failure: Failure) -> Core:
        clause.reached.append(True)
        inner, names = env.bind(symbols)
        span = clause.datum.span
        if clause.next is None:
            result = _guarded(clause, form, inner, facts, failure)
        else:
            body, (name,) = inner.bind([clause.next])
            declined = failure.core(facts)
            procedure = Lambda(clause.next.name, (), (), None, declined, span)
            code = _guarded(clause, form, body, facts, failure)
            result = recursive(name, procedure, code, env.unit.assigned, span)
        for symbol, name in reversed(list(zip(symbols, names, strict=True))):
            result = Let(name, Local(bindings[key_of(symbol)], symbol.span), result, span)
        return result

    return Leaf(code, clause.next is not None or clause.guard is not None)


def _guarded(clause: _Clause, form: List, env: Env, facts: Facts, failure: Failure) -> Core:
    body = body_of(clause.body, form, env)
    if clause.guard is None:
        return body
    test = condition(clause.guard, env)
    return If(test, body, failure.core(facts), clause.datum.span)


# Bindings.


@special_form("match-let", "(match-let ((pattern value) ...) body ...)")
def _match_let(form: List, env: Env) -> Core:
    match form.items:
        case (_, Symbol() as name, List() as bindings, _, *_):
            pairs = _pairs(bindings, form)
            values = tuple([expression(value, env) for _, value in pairs])
            outer, (loop,) = env.bind([name])
            parameters = [env.unit.fresh("value") for _ in pairs]
            body = _taken_apart(pairs, parameters, form.items[3:], form, outer)
            function = Lambda(name.name, tuple(parameters), (), None, body, form.span)
            call = Call(Local(loop, form.span), values, form.span)
            return recursive(loop, function, call, env.unit.assigned, form.span)
        case (_, List() as bindings, _, *_):
            pairs = _pairs(bindings, form)
            cores = [expression(value, env) for _, value in pairs]
            names = [env.unit.fresh("value") for _ in pairs]
            result = _taken_apart(pairs, names, form.items[2:], form, env)
            for local, core in reversed(list(zip(names, cores, strict=True))):
                result = Let(local, core, result, form.span)
            return result
    raise bad_form(form)


def _pairs(bindings: List, form: List) -> list[tuple[Datum, Datum]]:
    pairs: list[tuple[Datum, Datum]] = []
    for binding in bindings.items:
        match binding:
            case List((pattern, value), None):
                pairs.append((pattern, value))
            case _:
                raise bad_form(form, binding, "(pattern value)")
    return pairs


def _taken_apart(
    pairs: Sequence[tuple[Datum, Datum]],
    names: Sequence[str],
    body: Sequence[Datum],
    form: List,
    env: Env,
) -> Core:
    """The body with the variables of all patterns; each value that does not match is an error."""
    patterns = parse_patterns([pattern for pattern, _ in pairs], form, env)
    decisions = Decisions(env, form.span)
    symbols = [symbol for pattern in patterns for symbol in variables(pattern)]

    def take(k: int, bindings: Bindings, facts: Facts) -> Core:
        if k == len(pairs):
            inner, unique = env.bind(symbols)
            result = body_of(body, form, inner)
            for symbol, name in reversed(list(zip(symbols, unique, strict=True))):
                place = Local(bindings[key_of(symbol)], symbol.span)
                result = Let(name, place, result, form.span)
            return result
        leaf = Leaf(lambda bindings, facts, _: take(k + 1, bindings, facts), may_fail=False)
        row = Row(((names[k], patterns[k]),), bindings, leaf)
        return decisions.decide([row], facts, _error(names[k], pairs[k][1].span, form))

    return take(0, {}, Facts())


@rewriting_form("match-let*", "(match-let* ((pattern value) ...) body ...)")
def _match_let_star(form: List, env: Env) -> Datum:
    match form.items:
        case (_, List((first, _, *_) as bindings, None), _, *_):
            rest = listed(form, *bindings[1:])
            inner = listed(form, core_name("match-let*", form, env), rest, *form.items[2:])
            return listed(form, core_name("match-let", form, env), listed(form, first), inner)
        case (_, List() as bindings, _, *_):
            return listed(form, core_name("match-let", form, env), bindings, *form.items[2:])
    raise bad_form(form)


@rewriting_form("match-letrec", "(match-letrec ((pattern value) ...) body ...)")
def _match_letrec(form: List, env: Env) -> Datum:
    match form.items:
        case (_, List() as bindings, _, *_):
            define = core_name("match-define", form, env)
            definitions = [
                listed(form, define, pattern, value) for pattern, value in _pairs(bindings, form)
            ]
            let = core_name("let", form, env)
            body = listed(form, let, listed(form), *form.items[2:])
            return listed(form, let, listed(form), *definitions, body)
    raise bad_form(form)


@rewriting_form("match-define", "(match-define pattern value)")
def _match_define(form: List, env: Env) -> Datum:
    """(define v (match value (pattern #(x ...)))), and a define for each x."""
    match form.items:
        case (_, pattern, value):
            symbols = variables(parse_pattern(pattern, form, env))
        case _:
            raise bad_form(form)

    def call(name: str, *items: Datum) -> List:
        return listed(form, core_name(name, form, env), *items)

    def matched(result: Datum) -> List:
        return call("%match-define", value, listed(form, pattern, result))

    if len(symbols) == 1:
        return call("define", symbols[0], matched(symbols[0]))
    held = fresh_name(env.unit.fresh("%match"), form, env)
    definitions: list[Datum] = [call("define", held, matched(call("vector", *symbols)))]
    for k, symbol in enumerate(symbols):
        item = call("vector-ref", held, Number(k, form.span))
        definitions.append(call("define", symbol, item))
    if env.outer is None and symbols:
        definitions.append(call("define", held, Boolean(False, form.span)))
    return call("begin", *definitions)


special_form("%match-define", "(%match-define value (pattern result))")(_match)
