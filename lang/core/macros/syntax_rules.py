"""`syntax-rules`: macros by pattern and template.

    (define-syntax my-or
      (syntax-rules ()
        ((_ a b) (let ((t a)) (if t t b)))))
    (my-or #f t)  =>  (let ((t.2 #f)) (if t.2 t.2 t)), where t.2 is an alias of t
"""

from collections.abc import Sequence

from lambent.lang.core.denotation import Key, Macro, key_of
from lambent.lang.core.ir import Namespace
from lambent.lang.core.macros.patterns import Matcher, Pattern, Words, parse_pattern, variables
from lambent.lang.core.macros.templates import Expander, Template, parse_template
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import shape_hint, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, Keyword, List, Symbol
from lambent.lang.syntax.text import to_text
from lambent.lang.system.dataclass import dataclass

USAGE = "(syntax-rules (literal ...) (pattern template) ...)"
_SHOWN_RULES = 3  # how many patterns a hint shows


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: Pattern
    template: Template


def macro_of_rules(form: List, name: str, doc: str | None, env: Env) -> Macro:
    """The macro that a `syntax-rules` form defines in an environment."""
    words, rules = _parts(form, env)
    parsed = [_rule(rule, words) for rule in rules]
    usage = " or ".join([_usage(rule, name) for rule in rules[:_SHOWN_RULES]])
    visible = env.unit.scope.namespace is Namespace.PROGRAM

    def expand(use: List, around: Env) -> Datum:
        matcher = Matcher(env, around)
        arguments = List(use.items[1:], use.tail, use.span)
        for rule in parsed:
            matches = matcher.match(rule.pattern, arguments)
            if matches is not None:
                span = use.span.expanded_by(name if visible else None)
                return Expander(env, span).expand(rule.template, matches)
        hint = f"usage: {usage}" if 0 < len(rules) <= _SHOWN_RULES else None
        raise SyntaxFault(f"{name}: no rule matches {shown(use)}", use.span, hint)

    return Macro(name, expand, usage or f"({name})", visible, doc)


def _parts(form: List, env: Env) -> tuple[Words, Sequence[Datum]]:
    """The words and the rules of `(syntax-rules [ellipsis] (literal ...) rule ...)`."""
    match form:
        case List((_, (Symbol() | Keyword()) as ellipsis, List(literals, None), *rules), None):
            return Words(literals_of(literals, "syntax-rules"), ellipsis, env), rules
        case List((_, List(literals, None), *rules), None):
            return Words(literals_of(literals, "syntax-rules"), None, env), rules
    raise SyntaxFault(f"syntax-rules: expected {USAGE}, got {shown(form)}", form.span)


def literals_of(data: Sequence[Datum], form: str) -> frozenset[Key]:
    """The keys of a form's literals."""
    literals: set[Key] = set()
    for datum in data:
        if not isinstance(datum, Symbol):
            message = f"{form}: expected a name for a literal, got {shown(datum)}"
            raise SyntaxFault(message, datum.span)
        literals.add(key_of(datum))
    return frozenset(literals)


def _rule(datum: Datum, words: Words) -> _Rule:
    match datum:
        case List((List((Symbol(), *items), tail, span), template), None):
            pattern = parse_pattern(List(tuple(items), tail, span), words)
            depths = dict(variables(pattern))
            return _Rule(pattern, parse_template(template, depths, words))
    message = f"syntax-rules: expected ((_ pattern ...) template), got {shown(datum)}"
    raise SyntaxFault(message, datum.span, hint=shape_hint([datum]))


def _usage(rule: Datum, name: str) -> str:
    match rule:
        case List((List((Symbol(_, head), *items), tail, span), _)):
            return to_text(List((Symbol(name, head), *items), tail, span))
    raise AssertionError(rule)
