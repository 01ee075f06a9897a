"""Definitions of macros: what they bind a name to.

    (define-syntax swap! (syntax-rules () ((_ a b) ...)))   =>  swap!, a Macro
    (define-syntax swap! (lambda (form) (syntax-case ...))) =>  the same, by a procedure
    (define-syntax my-if if)                                =>  my-if, the special form `if`
    (defmacro while (test . body) `(...))                   =>  while, a Macro
"""

from collections.abc import Sequence

from lambent.lang.core.denotation import Macro, SpecialForm
from lambent.lang.core.expressions import expanded, macro_use
from lambent.lang.core.macros.defmacro import macro_of_lambda
from lambent.lang.core.macros.renaming import macro_of_procedure
from lambent.lang.core.macros.syntax_case import is_procedure_form, macro_of_syntax_procedure
from lambent.lang.core.macros.syntax_rules import USAGE, macro_of_rules
from lambent.lang.core.scope import Env
from lambent.lang.core.special_forms import bad_form, core_name, is_form, listed, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, String, Symbol


def macro_definition(form: List, env: Env) -> tuple[Symbol, Macro | SpecialForm] | None:
    """The name and its meaning, if the form defines a macro."""
    transformer = _definition(form, env)
    if transformer is not None:
        env.unit.expansions[id(form)] = (form, None)
    return transformer


def _definition(form: List, env: Env) -> tuple[Symbol, Macro | SpecialForm] | None:
    if is_form(form, "define-syntax", env):
        match form:
            case List((_, List((Symbol() as symbol, *names), None), String(doc), _, *_), None):
                return symbol, transformer(_procedure(form, names, 3, env), symbol.name, doc, env)
            case List((_, List((Symbol() as symbol, *names), None), _, *_), None):
                return symbol, transformer(_procedure(form, names, 2, env), symbol.name, None, env)
            case List((_, Symbol() as symbol, spec), None):
                return symbol, transformer(spec, symbol.name, None, env)
            case List((_, Symbol() as symbol, String(doc), spec), None):
                return symbol, transformer(spec, symbol.name, doc, env)
        raise bad_form(form)
    if is_form(form, "defmacro", env):
        return macro_of_lambda(form, env)
    return None


def _procedure(form: List, parameters: Sequence[Datum], start: int, env: Env) -> Datum:
    """The procedure of `(define-syntax (name parameter) ["doc"] body ...)`."""
    head = core_name("lambda", form, env)
    return listed(form, head, listed(form, *parameters), *form.items[start:])


def transformer(spec: Datum, name: str, doc: str | None, env: Env) -> Macro | SpecialForm:
    """The meaning of a name that is bound to a transformer."""
    while isinstance(use := macro_use(spec, env), Macro):
        assert isinstance(spec, List), spec
        spec = expanded(spec, use, env)
    if isinstance(spec, List) and is_form(spec, "syntax-rules", env):
        return macro_of_rules(spec, name, doc, env)
    if isinstance(spec, List) and is_form(spec, "er-macro-transformer", env):
        return macro_of_procedure(spec, name, doc, env)
    if is_procedure_form(spec, env):
        return macro_of_syntax_procedure(spec, name, doc, env)
    meaning = env.resolve(spec) if isinstance(spec, Symbol) else None
    if isinstance(meaning, Macro | SpecialForm):
        return meaning
    message = f"{name}: expected {USAGE} or the name of a macro, got {shown(spec)}"
    raise SyntaxFault(message, spec.span)
