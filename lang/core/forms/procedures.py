"""Procedures: parameter lists, bodies and definitions.

    (define (f x :dim -1 . rest) "Doc." (g x dim))
    =>  Lambda f (x) (:dim dim) rest (let dim.2 (if (absent? dim) -1 dim) (g x dim.2))
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import TypeVar

from lambent.lang.core.denotation import AliasKeyword, Key, Macro, key_of
from lambent.lang.core.expressions import expanded, expression, macro_use, sequence
from lambent.lang.core.forms.letrec import Step, assemble
from lambent.lang.core.ir import Core, If, KeywordParameter, Lambda, Let, Local, PrimCall
from lambent.lang.core.macros.transformers import macro_definition
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, is_form, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Datum, Keyword, List, String, Symbol
from lambent.lang.system.dataclass import dataclass, replace

D = TypeVar("D", bound=Datum)

_PARAMETERS = "parameters: names, then :keyword default pairs, then a rest name after a dot"


@dataclass(frozen=True, slots=True)
class Parameters:
    """A parsed parameter list."""

    required: tuple[Symbol, ...]
    keywords: tuple[tuple[Keyword, Datum], ...]
    rest: Symbol | None

    @property
    def names(self) -> list[Symbol]:
        """All names in order, a keyword parameter's without its colon."""
        names = [*self.required, *[_name_of(keyword) for keyword, _ in self.keywords]]
        return names + ([self.rest] if self.rest else [])


def _name_of(keyword: Keyword) -> Symbol:
    """The variable that a keyword parameter binds."""
    if isinstance(keyword, AliasKeyword):
        return keyword.symbol
    return Symbol(keyword.name, keyword.span)


def procedure(
    name: str | None, parameters: Datum, body: Sequence[Datum], form: List, env: Env
) -> Lambda:
    """The Lambda of a parameter list and a body, both from form."""
    parsed = parse_parameters(parameters, form)
    inner, unique = env.bind(parsed.names)
    required, others = unique[: len(parsed.required)], unique[len(parsed.required) :]
    keywords = tuple(
        [KeywordParameter(k.name, u) for (k, _), u in zip(parsed.keywords, others, strict=False)]
    )
    rest = unique[-1] if parsed.rest else None
    doc, forms = _split_doc(body)
    core = _with_defaults(list(parsed.keywords), forms, form, inner)
    return Lambda(name, tuple(required), keywords, rest, core, form.span, doc)


def _split_doc(body: Sequence[Datum]) -> tuple[str | None, Sequence[Datum]]:
    """A string before other forms is what `(doc f)` shows."""
    match body:
        case [String(text), _, *_]:
            return text, body[1:]
    return None, body


def _with_defaults(
    keywords: list[tuple[Keyword, Datum]], body: Sequence[Datum], form: List, env: Env
) -> Core:
    """The body within a Let for each keyword parameter; a default sees the parameters before it."""
    if not keywords:
        return body_of(body, form, env)
    (keyword, default), *others = keywords
    name = _name_of(keyword)
    parameter = env.lookup(name)
    assert parameter is not None, keyword
    absent = PrimCall(TABLE["%absent?"], (Local(parameter, keyword.span),), keyword.span)
    value = If(absent, expression(default, env), Local(parameter, keyword.span), keyword.span)
    inner, unique = env.bind([name])
    return Let(unique[0], value, _with_defaults(others, body, form, inner), keyword.span)


def parse_parameters(datum: Datum, form: List) -> Parameters:
    """The parameter list; a SyntaxFault at form if it is not one."""
    match datum:
        case Symbol():
            return Parameters((), (), datum)
        case List(items, None | Symbol() as rest):
            required = list(takewhile(lambda item: isinstance(item, Symbol), items))
            pairs = items[len(required) :]
            keywords = list(zip(pairs[::2], pairs[1::2], strict=False))
            if len(pairs) % 2 == 0 and all(isinstance(k, Keyword) for k, _ in keywords):
                parameters = Parameters(
                    tuple([item for item in required if isinstance(item, Symbol)]),
                    tuple([(k, d) for k, d in keywords if isinstance(k, Keyword)]),
                    rest,
                )
                _check_distinct(parameters, form)
                return parameters
    raise bad_form(form, datum, _PARAMETERS)


def _check_distinct(parameters: Parameters, form: List) -> None:
    seen: set[Key] = set()
    for symbol in parameters.names:
        if key_of(symbol) in seen:
            raise SyntaxFault(f"the parameter {symbol.name} appears twice", form.span)
        seen.add(key_of(symbol))


# Bodies.


def body_of(data: Sequence[Datum], form: List, env: Env) -> Core:
    """A body from form: definitions and expressions, the last an expression.

    Two passes, as at the top level, because a use of a macro may expand to a definition.
    """
    inner = Env(env.unit, {}, env)
    items = list(_definitions_and_expressions(data, inner))
    if not items and inner.names:
        raise SyntaxFault("a body ends in an expression, not in a definition", data[-1].span)
    if not items:
        raise bad_form(form)
    if not inner.names:
        return sequence([expression(item.datum, env) for item in items], form.span)
    last = items[-1]
    if last.name is not None:
        raise SyntaxFault("a body ends in an expression, not in a definition", last.datum.span)
    steps: list[Step] = []
    for item in items:
        if item.name is not None and isinstance(item.datum, List):
            steps.append(step(item.name, definition_value, item.datum, inner))
        else:
            steps.append(step(None, expression, item.datum, inner))
    return assemble(steps, env.unit.assigned, form.span)


@dataclass(frozen=True, slots=True)
class _BodyItem:
    """A form of a body after the first pass; name: the unique name of the variable it defines."""

    name: str | None
    datum: Datum


def _definitions_and_expressions(data: Sequence[Datum], env: Env) -> Iterator[_BodyItem]:
    """The first pass: a `begin` yields the forms in it; definitions enter their names."""
    for datum in data:
        while isinstance(use := macro_use(datum, env), Macro):
            assert isinstance(datum, List), datum
            datum = expanded(datum, use, env)
        if isinstance(datum, List) and is_form(datum, "begin", env) and datum.tail is None:
            yield from _definitions_and_expressions(datum.items[1:], env)
        elif isinstance(datum, List) and is_form(datum, "define", env):
            yield _BodyItem(_define(definition_name(datum), env), datum)
        elif isinstance(datum, List) and (macro := macro_definition(datum, env)) is not None:
            _check_new(macro[0], env)
            env.enter(*macro)
        else:
            yield _BodyItem(None, datum)


def _define(symbol: Symbol, env: Env) -> str:
    _check_new(symbol, env)
    return env.add(symbol)


def _check_new(symbol: Symbol, env: Env) -> None:
    if key_of(symbol) in env.names:
        raise SyntaxFault(f"{symbol.name} is defined twice in one body", symbol.span)


def step(
    name: str | None, analysis: Callable[[D, Env], Core], datum: D, env: Env
) -> Step:
    """The analysed datum as a step of a body that defines variables."""
    before = len(env.unit.mentioned)
    value = analysis(datum, env)
    return Step(name, value, frozenset(env.unit.mentioned[before:]), datum.span)


# Definitions.


def definition_name(form: Datum) -> Symbol:
    """The name that a `define` form defines."""
    match form:
        case List((_, Symbol() as symbol, _), None):
            return symbol
        case List((_, List((Symbol() as symbol, *_), _), _, *_), None):
            return symbol
    assert isinstance(form, List), form
    raise bad_form(form, hint=_meant_definition(form))


def _meant_definition(form: List) -> str | None:
    """The definition that `(define f (x) body)` or `(define x = 5)` stands for."""
    match form.items:
        case (define, Symbol() as name, Symbol("=" | ":="), value):
            meant: tuple[Datum, ...] = (define, name, value)
        case (define, Symbol() as name, Symbol("lambda"), _, _, *_):
            meant = (define, name, List(form.items[2:], None, form.span))
        case (define, Symbol() as name, List(parameters, None), *body) if body:
            meant = (define, List((name, *parameters), None, form.span), *body)
        case (define, Symbol() as name, Symbol() as parameter, List() as body):
            meant = (define, List((name, parameter), None, form.span), body)
        case _:
            return None
    return f"write {shown(List(meant, None, form.span))}"


def definition_value(form: List, env: Env) -> Core:
    """The value of a `define` form."""
    symbol = definition_name(form)
    match form.items:
        case (_, Symbol(), value):
            return named(expression(value, env), symbol.name)
        case (_, List(items, tail, span), *body):
            return procedure(symbol.name, List(items[1:], tail, span), body, form, env)
    raise bad_form(form)


def named(value: Core, name: str) -> Core:
    """The value; an anonymous procedure takes the name of the variable that it is bound to."""
    if isinstance(value, Lambda) and value.name is None:
        from lambent.lang.core.forms.case_lambda import renamed

        return replace(value, name=name, body=renamed(value.body, name))
    return value
