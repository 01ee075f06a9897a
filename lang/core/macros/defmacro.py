"""`defmacro`: macros defined by a procedure on data, which runs while the program is analysed.

    (defmacro while (test . body)
      `(let loop () (when ,test ,@body (loop))))

The caller of the analysis puts an evaluator into the Scope; this module does not run Lisp.  The
body sees the library and the macros defined before it, but no variable of the program.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lambent.lang.core.denotation import Denotation, Key, Macro
from lambent.lang.core.ir import Namespace
from lambent.lang.core.scope import Env, Helper, Scope
from lambent.lang.core.special_forms import bad_form, core_name, listed
from lambent.lang.errors import LispError, SyntaxFault
from lambent.lang.syntax.datum import Boolean, Brackets, Datum, List, String, Symbol
from lambent.lang.syntax.source import Source, Span
from lambent.lang.syntax.text import to_text

if TYPE_CHECKING:
    from lambent.lang.core.macros.syntax_case import SyntaxBody

BRACKETS = "%brackets"  # the head of a list that represents a tensor expression in a macro
_UNBOUND = "unbound variable: "
_NOWHERE = Span(Source("", ""), 0, 0)
_QUOTES = (Symbol("quote", _NOWHERE), Symbol("quasiquote", _NOWHERE))


def macro_of_lambda(form: List, env: Env) -> tuple[Symbol, Macro]:
    """The name that a `defmacro` form defines, and its macro."""
    match form:
        case List((_, Symbol() as symbol, parameters, String(doc), *body), None) if body:
            return symbol, _macro(symbol.name, parameters, body, doc, form, env)
        case List((_, Symbol() as symbol, parameters, *body), None) if body:
            return symbol, _macro(symbol.name, parameters, body, None, form, env)
    raise bad_form(form)


def _macro(
    name: str, parameters: Datum, body: Sequence[Datum], doc: str | None, form: List, env: Env
) -> Macro:
    visible = env.unit.scope.namespace is Namespace.PROGRAM
    # A `define` names the procedure after the macro, so its arity errors show the macro's name.
    head = _with_head(Symbol(name, form.span), parameters, form)
    quoted = [_with_lists_for_brackets(datum, quoted=False) for datum in body]
    define = List((core_name("define", form, env), head, *quoted), None, form.span)
    expansion = runs_while_analysed(name, define, form, env)

    def expand(use: List, around: Env) -> Datum:
        span = use.span.expanded_by(name if visible else None)
        if use.tail is not None:
            raise SyntaxFault(f"{name}: the use of a macro cannot end in a dot", use.span)
        return expansion(use.items[1:], use, span, around, None)

    return Macro(name, expand, to_text(head), visible, doc)


Expansion = Callable[[Sequence[Datum], Datum, Span, Env, Sequence[Helper] | None], Datum]


def runs_while_analysed(
    name: str, define: Datum, form: List, env: Env, syntax_body: "SyntaxBody | None" = None
) -> Expansion:
    """What a macro's procedure, which a `define` form defines, makes of the data of a use: the
    function takes these, the use, the span of new data, what is around the use, and helpers."""
    scope = env.unit.scope
    if scope.evaluator is None:
        raise SyntaxFault(f"{name}: no evaluator is available to run its body", form.span)
    transform = scope.evaluator(define, _body_scope(scope, syntax_body))

    def expansion(
        arguments: Sequence[Datum],
        use: Datum,
        span: Span,
        around: Env,
        helpers: Sequence[Helper] | None,
    ) -> Datum:
        try:
            result = transform(arguments, span, helpers)
        except SyntaxFault as fault:
            raise SyntaxFault(fault.message, fault.span or span, fault.hint) from None
        except LispError as error:
            hint = error.hint
            missing = error.message.removeprefix(_UNBOUND)
            if missing != error.message and missing in scope.names:
                hint = "a macro's procedure runs before the program, and sees only the library"
            raise SyntaxFault(error.message, span, hint) from None
        return _nothing(use, around) if result is None else result

    return expansion


def _with_lists_for_brackets(datum: Datum, quoted: bool) -> Datum:
    """The datum, with each quoted [a b] replaced by the list (%brackets a b)."""
    match datum:
        case List(items, tail, span):
            quoted = quoted or (bool(items) and items[0] in _QUOTES)
            inner = tuple([_with_lists_for_brackets(item, quoted) for item in items])
            end = None if tail is None else _with_lists_for_brackets(tail, quoted)
            return List(inner, end, span)
        case Brackets(items, span) if quoted:
            inner = tuple([_with_lists_for_brackets(item, quoted) for item in items])
            return List((Symbol(BRACKETS, span), *inner), None, span)
    return datum


def _nothing(use: Datum, env: Env) -> Datum:
    """`(if #f #f)`"""
    no = Boolean(False, use.span)
    form = List((use,), None, use.span)
    return listed(form, core_name("if", form, env), no, no)


def _with_head(symbol: Symbol, parameters: Datum, form: List) -> List:
    """`(name parameter ... . rest)`"""
    match parameters:
        case List(items, tail):
            return List((symbol, *items), tail, form.span)
        case Symbol():
            return List((symbol,), parameters, form.span)
    raise bad_form(form)


def _body_scope(scope: Scope, syntax_body: "SyntaxBody | None") -> Scope:
    """The scope that the body sees."""
    names: dict[Key, Denotation | None] = dict(scope.macros_here())
    return Scope(
        scope.library,
        macros=scope.macros,
        names=names,
        evaluator=scope.evaluator,
        syntax_body=syntax_body,
    )
