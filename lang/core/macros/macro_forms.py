"""The special forms about macros.

    (let-syntax ((swap! (syntax-rules ...))) body ...)  =>  the body, in which swap! is a macro
    (define-syntax-rule (inc! x) (set! x (+ x 1)))      =>  a define-syntax with that rule
    (syntax-error "message" datum ...)                  =>  a SyntaxFault
    (%source-location)                                  =>  '("demo.lisp" . 7)
"""

from lambent.lang.core.forms.bindings import distinct_names, parse_bindings
from lambent.lang.core.forms.procedures import body_of
from lambent.lang.core.ir import Core
from lambent.lang.core.macros.renaming import USAGE as RENAMING_USAGE
from lambent.lang.core.macros.syntax_rules import USAGE
from lambent.lang.core.macros.transformers import transformer
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import (
    bad_form,
    core_name,
    listed,
    rewriting_form,
    special_form,
)
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, Number, String, Symbol
from lambent.lang.syntax.text import to_text


@special_form("define-syntax", f"(define-syntax name {USAGE})")
def _define_syntax(form: List, env: Env) -> Core:
    """Definitions are handled where they are allowed: this one is not."""
    raise SyntaxFault("define-syntax: expected at the top level or directly in a body", form.span)


@special_form("defmacro", "(defmacro name (parameter ...) body ...)")
def _defmacro(form: List, env: Env) -> Core:
    raise SyntaxFault("defmacro: expected at the top level or directly in a body", form.span)


@special_form("syntax-rules", USAGE)
def _syntax_rules(form: List, env: Env) -> Core:
    raise SyntaxFault("syntax-rules: expected in a definition of a macro", form.span)


@special_form("er-macro-transformer", RENAMING_USAGE)
def _er_macro_transformer(form: List, env: Env) -> Core:
    raise SyntaxFault("er-macro-transformer: expected in a definition of a macro", form.span)


@rewriting_form("define-syntax-rule", "(define-syntax-rule (name pattern ...) template)")
def _define_syntax_rule(form: List, env: Env) -> Datum:
    match form.items:
        case (_, List((Symbol() as name, *_)) as pattern, *doc, template) if (
            not doc or (len(doc) == 1 and isinstance(doc[0], String))
        ):
            rule = listed(form, pattern, template)
            rules = listed(form, core_name("syntax-rules", form, env), listed(form), rule)
            return listed(form, core_name("define-syntax", form, env), name, *doc, rules)
    raise bad_form(form)


@special_form("let-syntax", "(let-syntax ((name transformer) ...) body ...)")
def _let_syntax(form: List, env: Env) -> Core:
    return _with_macros(form, env, recursive=False)


@special_form("letrec-syntax", "(letrec-syntax ((name transformer) ...) body ...)")
def _letrec_syntax(form: List, env: Env) -> Core:
    return _with_macros(form, env, recursive=True)


def _with_macros(form: List, env: Env, recursive: bool) -> Core:
    match form.items:
        case (_, bindings, _, *_):
            pairs = parse_bindings(bindings, form)
            names = distinct_names(pairs, form)
            inner = Env(env.unit, {}, env)
            defined_in = inner if recursive else env
            for symbol, (_, spec) in zip(names, pairs, strict=True):
                inner.enter(symbol, transformer(spec, symbol.name, None, defined_in))
            body = listed(form, core_name("let", form, env), listed(form), *form.items[2:])
            env.unit.expansions[id(form)] = (form, body)
            return body_of(form.items[2:], form, inner)
    raise bad_form(form)


@special_form("syntax-error", '(syntax-error "message" datum ...)')
def _syntax_error(form: List, env: Env) -> Core:
    match form.items:
        case (_, String(text), *irritants) if form.tail is None:
            raise SyntaxFault(" ".join([text, *map(to_text, irritants)]), form.span)
    raise bad_form(form)


@rewriting_form("%source-location", "(%source-location)")
def _source_location(form: List, env: Env) -> Datum:
    """The file and line of the use of the macro whose template contains the form."""
    if len(form.items) != 1:
        raise bad_form(form)
    span = form.span
    location = List((String(span.source.name, span),), Number(span.line, span), span)
    return listed(form, core_name("quote", form, env), location)
