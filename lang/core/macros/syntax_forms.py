"""The special forms in the procedures of macros by `syntax-case`: see `syntax_case.py`.

    (syntax-case form (literal ...) (pattern [fender] value) ...)
    (syntax template), for short #'template
    (quasisyntax template), for short #`template, in which #,form and #,@form are values
    (with-syntax ((pattern form) ...) body ...)

A variable of a pattern is a name whose use outside of a template is an error.
"""

from collections.abc import Iterator, Sequence

from lambent.lang.core.denotation import Key, Macro, SpecialForm, key_of
from lambent.lang.core.expressions import expression
from lambent.lang.core.ir import Core
from lambent.lang.core.macros.patterns import Words, parse_pattern, variables
from lambent.lang.core.macros.syntax_case import NO_PATTERN, SyntaxBody
from lambent.lang.core.macros.syntax_rules import literals_of
from lambent.lang.core.macros.templates import parse_template
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import (
    bad_form,
    core_name,
    fresh_name,
    listed,
    rewriting_form,
    special_form,
)
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Brackets, Datum, List, Number, Symbol, Vector
from lambent.lang.system.dataclass import dataclass, field

_NEW_LEVEL = {"quasisyntax": 1, "unsyntax": -1, "unsyntax-splicing": -1}


def _syntax_body(form: List, env: Env) -> SyntaxBody:
    """What the macro's procedure around a form refers to by number."""
    body = env.unit.scope.syntax_body
    if body is None:
        head = form.items[0]
        assert isinstance(head, Symbol), head
        raise SyntaxFault(
            f"{head.name}: expected in the procedure of a macro", form.span,
            "(define-syntax name (lambda (form) (syntax-case form () ...)))")
    return body


@rewriting_form("syntax-case", "(syntax-case form (literal ...) (pattern [fender] value) ...)")
def _syntax_case(form: List, env: Env) -> Datum:
    body = _syntax_body(form, env)
    match form.items:
        case (_, datum, List(literals, None), *clauses):
            keys = literals_of(literals, "syntax-case")
            words = Words(keys, None, body.defined_in, "syntax-case")
            value = fresh_name("form", form, env)
            rest: Datum = listed(form, body.match, Number(NO_PATTERN, form.span), value)
            for clause in reversed(clauses):
                rest = _clause(clause, value, rest, words, body, env)
            return listed(form, core_name("let", form, env),
                          listed(form, listed(form, value, datum)), rest)
    raise bad_form(form)


def _clause(
    clause: Datum, value: Symbol, rest: Datum, words: Words, body: SyntaxBody, env: Env
) -> Datum:
    """The expression of a clause, and if it does not match, the rest."""
    if not isinstance(clause, List) or clause.tail is not None or len(clause.items) not in (2, 3):
        raise SyntaxFault("syntax-case: expected (pattern value) or (pattern fender value)",
                          clause.span)
    pattern = parse_pattern(clause.items[0], words)
    number = len(body.patterns)
    body.patterns.append(pattern)

    def word(name: str) -> Symbol:
        return core_name(name, clause, env)

    found, otherwise = fresh_name("found", clause, env), fresh_name("otherwise", clause, env)
    depths = list(variables(pattern))
    symbols = {key_of(symbol): symbol for symbol in _symbols(clause.items[0])}
    holders = [fresh_name("match", clause, env) for _ in depths]
    names = [
        listed(clause, symbols[key], holder, Number(depth, clause.span))
        for (key, depth), holder in zip(depths, holders, strict=True)
    ]
    result = clause.items[-1]
    if len(clause.items) == 3:
        result = listed(clause, word("if"), clause.items[1], result, listed(clause, otherwise))
    inner = listed(clause, word("%with-pattern-variables"), listed(clause, *names), result)
    call = listed(clause, word("apply"), listed(clause, word("lambda"), listed(clause, *holders),
                                                inner), found)
    match = listed(clause, body.match, Number(number, clause.span), value)
    if len(clause.items) == 2:
        return listed(clause, word("let"), listed(clause, listed(clause, found, match)),
                      listed(clause, word("if"), found, call, rest))
    next_clause = listed(clause, otherwise, listed(clause, word("lambda"), listed(clause), rest))
    return listed(
        clause, word("let"), listed(clause, listed(clause, found, match), next_clause),
        listed(clause, word("if"), found, call, listed(clause, otherwise)))


@special_form("%with-pattern-variables", "(%with-pattern-variables ((name holder depth) ...) form)")
def _with_pattern_variables(form: List, env: Env) -> Core:
    _, names, result = form.items
    assert isinstance(names, List), names
    inner = Env(env.unit, {}, env)
    for entry in names.items:
        assert isinstance(entry, List), entry
        symbol, holder, depth = entry.items
        assert isinstance(symbol, Symbol) and isinstance(holder, Symbol), entry
        assert isinstance(depth, Number) and isinstance(depth.value, int), entry
        inner.enter(symbol, _pattern_variable(symbol.name, holder, depth.value))
    return expression(result, inner)


def _pattern_variable(name: str, holder: Symbol, depth: int) -> Macro:
    def fail(use: Datum, env: Env) -> Datum:
        raise SyntaxFault(f"{name} is a variable of a pattern, not a value", use.span,
                          f"write #'{name}")

    return Macro(name, fail, f"#'{name}", False, None, fail, fail, (holder, depth))


@special_form("syntax", "(syntax template)")
def _syntax(form: List, env: Env) -> Core:
    body = _syntax_body(form, env)
    match form.items:
        case (_, datum):
            depths: dict[Key, int] = {}
            values: list[Datum] = []
            for symbol in _symbols(datum):
                meaning = env.resolve(symbol)
                if isinstance(meaning, Macro) and meaning.repeats and key_of(symbol) not in depths:
                    holder, depths[key_of(symbol)] = meaning.repeats
                    values.append(holder)
            words = Words(frozenset(), None, body.defined_in, "syntax")
            number = Number(len(body.templates), form.span)
            body.templates.append((parse_template(datum, depths, words), depths))
            variables = listed(form, core_name("list", form, env), *values)
            return expression(listed(form, body.build, number, variables), env)
    raise bad_form(form)


def _symbols(datum: Datum) -> Iterator[Symbol]:
    """The symbols in a datum, from left to right."""
    match datum:
        case Symbol():
            yield datum
        case List(items, tail):
            for item in items:
                yield from _symbols(item)
            if tail is not None:
                yield from _symbols(tail)
        case Vector(items) | Brackets(items):
            for item in items:
                yield from _symbols(item)


@rewriting_form("with-syntax", "(with-syntax ((pattern form) ...) body ...)")
def _with_syntax(form: List, env: Env) -> Datum:
    _syntax_body(form, env)
    match form.items:
        case (_, List(bindings, None), _, *_):
            patterns: list[Datum] = []
            values: list[Datum] = []
            for binding in bindings:
                match binding:
                    case List((pattern, value), None):
                        patterns.append(pattern)
                        values.append(value)
                    case _:
                        raise bad_form(form, binding, "(pattern form)")
            body = listed(form, core_name("let", form, env), listed(form), *form.items[2:])
            clause = listed(form, listed(form, *patterns), body)
            return listed(form, core_name("syntax-case", form, env),
                          listed(form, core_name("list", form, env), *values), listed(form), clause)
    raise bad_form(form)


@rewriting_form("quasisyntax", "(quasisyntax template)")
def _quasisyntax(form: List, env: Env) -> Datum:
    _syntax_body(form, env)
    match form.items:
        case (_, template):
            holes = _Holes(form, env)
            filled = holes.filled(template, 0)
            syntax = listed(form, core_name("syntax", form, env), filled)
            return listed(form, core_name("with-syntax", form, env),
                          listed(form, *holes.bindings), syntax)
    raise bad_form(form)


@dataclass(slots=True)
class _Holes:
    """The values in a quasisyntax template; bindings: those of `with-syntax` for them."""

    form: List
    env: Env
    bindings: list[Datum] = field(default_factory=list)

    def filled(self, datum: Datum, level: int) -> Datum:
        """The datum with a variable in place of each value of its level."""
        match datum:
            case List((Symbol() as head, inner), None) if (change := self._new_level(head)):
                if level + change < 0:
                    if self._meaning(head) != "unsyntax":
                        raise SyntaxFault("unsyntax-splicing: expected in a list", datum.span)
                    return self._variable(inner, spliced=False)
                return List((head, self.filled(inner, level + change)), None, datum.span)
            case List(items, tail, span):
                end = None if tail is None else self.filled(tail, level)
                return List(tuple(self._items(items, level)), end, span)
            case Vector(items, span):
                return Vector(tuple(self._items(items, level)), span)
            case Brackets(items, span):
                return Brackets(tuple(self._items(items, level)), span)
        return datum

    def _items(self, items: Sequence[Datum], level: int) -> Iterator[Datum]:
        for item in items:
            match item:
                case List((Symbol() as head, inner), None) if (
                    level == 0 and self._meaning(head) == "unsyntax-splicing"
                ):
                    yield self._variable(inner, spliced=True)
                    yield self._ellipsis()
                case _:
                    yield self.filled(item, level)

    def _variable(self, value: Datum, spliced: bool) -> Symbol:
        variable = fresh_name("value", self.form, self.env)
        pattern: Datum = variable
        if spliced:
            pattern = listed(self.form, variable, self._ellipsis())
        self.bindings.append(listed(self.form, pattern, value))
        return variable

    def _ellipsis(self) -> Symbol:
        return core_name("...", self.form, self.env)

    def _new_level(self, head: Symbol) -> int:
        return _NEW_LEVEL.get(self._meaning(head), 0)

    def _meaning(self, head: Symbol) -> str:
        meaning = self.env.resolve(head)
        return meaning.name if isinstance(meaning, SpecialForm | Macro) else ""


@special_form("unsyntax", "(unsyntax form) inside a quasisyntax")
def _unsyntax(form: List, env: Env) -> Core:
    raise SyntaxFault("unsyntax: expected inside a quasisyntax", form.span)


@special_form("unsyntax-splicing", "(unsyntax-splicing form) inside a list in a quasisyntax")
def _unsyntax_splicing(form: List, env: Env) -> Core:
    raise SyntaxFault("unsyntax-splicing: expected in a list inside a quasisyntax", form.span)
