"""`syntax-case`: macros by a procedure of the form of a use, with patterns and templates.

    (define-syntax swap!
      (lambda (form)
        (syntax-case form ()
          ((_ a b) (identifier? #'a) #'(let ((old a)) (set! a b) (set! b old))))))

The procedure runs while the program is analysed, as the body of a `defmacro` does.  It gets the
form as data in which an identifier from a template is a symbol of its own.  Patterns and templates
are those of `syntax-rules`; the procedure refers to them by their numbers in its `SyntaxBody`:

    (syntax-case form () (pattern value))  =>  (let ((found (match 0 form))) (if found (apply ...)))
    #'(f a ...)                            =>  (build 0 (list a))

`syntax_forms.py` has these forms, `stdlib/language/syntax.lisp` the procedures on identifiers.
"""

from collections.abc import Callable

from lambent.lang.core.denotation import Alias, Key, Macro, plain
from lambent.lang.core.ir import Namespace
from lambent.lang.core.macros.defmacro import runs_while_analysed
from lambent.lang.core.macros.patterns import (
    Many,
    Match,
    Matcher,
    Pattern,
    is_same_identifier,
    variables,
)
from lambent.lang.core.macros.templates import Expander, Template
from lambent.lang.core.scope import Env, Helper
from lambent.lang.core.special_forms import core_name, fresh_name, listed, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Boolean, Datum, List, Number, String, Symbol, Vector
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field

NO_PATTERN = -1  # the number that stands for the failure of all clauses


@dataclass(slots=True, eq=False)
class SyntaxBody:
    """What the procedure of one macro refers to by number.  match and build: the identifiers of
    its parameters for the procedures that do so.  defined_in: what is around the macro."""

    defined_in: Env
    match: Symbol
    build: Symbol
    patterns: list[Pattern] = field(default_factory=list)
    templates: list[tuple[Template, dict[Key, int]]] = field(default_factory=list)


def macro_of_syntax_procedure(spec: Datum, name: str, doc: str | None, env: Env) -> Macro:
    """The macro that a procedure, the value of an expression, defines in an environment."""
    form = List((spec,), None, spec.span)
    assigns = isinstance(spec, List) and spec.items[0:1] != () and _is_variable_maker(spec, env)
    if assigns:
        assert isinstance(spec, List), spec
        spec = spec.items[1]
    use, match, build, rest = [
        fresh_name(text, form, env) for text in ("form", "match", "build", "helpers")
    ]
    body = SyntaxBody(env, match, build)
    call = listed(form, core_name("lambda", form, env), listed(form), listed(form, spec, use))
    define = listed(
        form,
        core_name("define", form, env),
        List((Symbol(name, form.span), use, match, build), rest, form.span),
        listed(form, core_name("%while-expanding", form, env), rest, call),
    )
    expansion = runs_while_analysed(name, define, form, env, body)
    visible = env.unit.scope.namespace is Namespace.PROGRAM

    def expand(datum: Datum, around: Env) -> Datum:
        span = datum.span.expanded_by(name if visible else None)
        helpers = _Expansion(name, body, around, Expander(env, span)).helpers()
        return expansion([datum], datum, span, around, helpers)

    return Macro(name, expand, f"({name} ...)", visible, doc, value=expand,
                 assigned=expand if assigns else None)


def _is_variable_maker(spec: List, env: Env) -> bool:
    match spec.items:
        case (Symbol("make-variable-transformer") as head, _):
            return env.resolve(head) == env.unit.scope.ambient_env().resolve(head)
    return False


def is_procedure_form(spec: Datum, env: Env) -> bool:
    """Whether the form of a transformer is one whose value is a procedure."""
    if not isinstance(spec, List) or not spec.items:
        return False
    if _is_variable_maker(spec, env):
        return True
    meaning = env.resolve(spec.items[0]) if isinstance(spec.items[0], Symbol) else None
    ambient = env.unit.scope.ambient_env()
    return meaning is not None and any(
        meaning is ambient.resolve(Symbol(word, spec.span))
        for word in ("lambda", "case-lambda", "let", "let*", "letrec", "letrec*")
    )


@dataclass(frozen=True, slots=True)
class _Expansion:
    """One use of a macro, which stands in used_in."""

    name: str
    body: SyntaxBody
    used_in: Env
    expander: Expander

    def helpers(self) -> list[Helper]:
        """What the procedure calls: the first two by the names in its `SyntaxBody`, the others
        through `%while-expanding`, which has their order."""
        return [
            Helper("syntax-case", 2, self._matched),
            Helper("syntax", 2, self._built),
            Helper("free-identifier=?", 2, self._is_free_same),
            Helper("syntax->datum", 1, plain),
            Helper("datum->syntax", 2, self._in_context),
            Helper("generate-temporaries", 1, self._temporaries),
            Helper("syntax-violation", 3, self._violation),
        ]

    def _matched(self, number: Datum, form: Datum) -> Datum:
        """The matches of the pattern's variables; #f if the form does not match."""
        assert isinstance(number, Number) and isinstance(number.value, int), number
        if number.value == NO_PATTERN and isinstance(form, Symbol):
            raise SyntaxFault(f"{self.name} is a macro, not a value", form.span,
                              "no pattern matches its name alone")
        if number.value == NO_PATTERN:
            raise SyntaxFault(f"{self.name}: no pattern matches {shown(plain(form))}", form.span)
        pattern = self.body.patterns[number.value]
        matches = Matcher(self.body.defined_in, self.used_in).match(pattern, form)
        if matches is None:
            return Boolean(False, form.span)
        span = form.span
        return List(tuple([_listed(matches[key], span) for key, _ in variables(pattern)]),
                    None, span)

    def _built(self, number: Datum, values: Datum) -> Datum:
        """The template with the values of its variables."""
        assert isinstance(number, Number) and isinstance(number.value, int), number
        assert isinstance(values, List), values
        template, depths = self.body.templates[number.value]
        matches = {
            key: _unlisted(value, depth)
            for (key, depth), value in zip(depths.items(), values.items, strict=True)
        }
        return self.expander.expand(template, matches)

    def _is_free_same(self, one: Datum, other: Datum) -> Datum:
        assert isinstance(one, Symbol) and isinstance(other, Symbol), (one, other)
        same = is_same_identifier(one, self.used_in, other, self.used_in)
        return Boolean(same, self.expander.span)

    def _in_context(self, template: Datum, datum: Datum) -> Datum:
        """The datum with symbols that mean what they would mean if they stood where the
        identifier does."""
        if not isinstance(template, Alias):
            return datum
        return _replaced(datum, lambda symbol: _sibling(template, symbol))

    def _temporaries(self, data: Datum) -> Datum:
        assert isinstance(data, List), data
        span = self.expander.span
        env = self.body.defined_in
        made = [Alias("t", span, Symbol("t", span), env) for _ in data.items]
        return List(tuple(made), None, span)

    def _violation(self, message: Datum, form: Datum, part: Datum) -> Datum:
        assert isinstance(message, String), message
        place = form if isinstance(part, Boolean) else part
        raise SyntaxFault(message.text, place.span)


def _sibling(template: Alias, symbol: Symbol) -> Symbol:
    """The identifier of the symbol's name from the same expansion as another."""
    if isinstance(symbol, Alias):
        return symbol
    if template.siblings is None:
        return Alias(symbol.name, template.span, symbol, template.env)
    return template.siblings(symbol)


def _replaced(datum: Datum, identifier: Callable[[Symbol], Datum]) -> Datum:
    match datum:
        case Symbol():
            return identifier(datum)
        case List(items, tail, span):
            end = None if tail is None else _replaced(tail, identifier)
            return List(tuple([_replaced(item, identifier) for item in items]), end, span)
        case Vector(items, span):
            return Vector(tuple([_replaced(item, identifier) for item in items]), span)
    return datum


def _listed(match: Match, span: Span) -> Datum:
    """A match as a datum: those before an ellipsis as a list."""
    if isinstance(match, Many):
        return List(tuple([_listed(item, span) for item in match.items]), None, span)
    return match


def _unlisted(datum: Datum, depth: int) -> Match:
    """The reverse of `_listed`."""
    if depth == 0:
        return datum
    assert isinstance(datum, List), datum
    return Many(tuple([_unlisted(item, depth - 1) for item in datum.items]))
