"""The table of special forms, and how a malformed one is reported.

    @special_form("if", "(if test then [else])")
    def if_form(form: List, env: Env) -> Core: ...

    @rewriting_form("unless", "(unless test form ...)")
    def unless_form(form: List, env: Env) -> Datum:   # returns the form that replaces it
        return listed(form, core("if", form, env), ...)

A module's import registers its forms; `analyze` imports all such modules.  Forms that become
definitions (`define-values` ...) are rewriting forms, which the top level and bodies expand.
"""

from collections.abc import Callable, Sequence

from lambent.lang.core.denotation import Alias, Denotation, Macro, SpecialForm
from lambent.lang.core.ir import Core
from lambent.lang.core.scope import SPECIAL_FORMS, Env
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Brackets, Datum, Keyword, List, Symbol
from lambent.lang.syntax.text import to_text

_SHOWN = 60  # characters of a datum that a message quotes

Handler = Callable[[List, Env], Core]
Rewriter = Callable[[List, Env], Datum]


def special_form(name: str, usage: str) -> Callable[[Handler], Handler]:
    """Register a function as the handler of a special form."""

    def register(handler: Handler) -> Handler:
        assert name not in SPECIAL_FORMS, name
        SPECIAL_FORMS[name] = SpecialForm(name, usage, handler)
        return handler

    return register


def rewriting_form(name: str, usage: str) -> Callable[[Rewriter], Rewriter]:
    """Register a function that returns the form that replaces a use."""

    def register(rewriter: Rewriter) -> Rewriter:
        assert name not in SPECIAL_FORMS, name
        SPECIAL_FORMS[name] = Macro(name, rewriter, usage, visible=False)
        return rewriter

    return register


# Data for the results of rewriting forms.


def core_name(name: str, form: List, env: Env) -> Symbol:
    """An identifier for a special form or a library name, even if it is shadowed here."""
    return Alias(name, form.span, Symbol(name, form.span), env.unit.scope.ambient_env())


def fresh_name(name: str, form: List, env: Env) -> Symbol:
    """An identifier for a variable that no other code can see."""
    return core_name(name, form, env)


def listed(form: List, *items: Datum) -> List:
    """A list with the form's span."""
    return List(items, None, form.span)


# Tests of data.


def is_special(datum: Datum, name: str, env: Env) -> bool:
    """Whether a datum is an identifier that means the special form."""
    return isinstance(datum, Symbol) and is_special_form(env.resolve(datum), name)


def is_special_form(meaning: Denotation | None, name: str) -> bool:
    return isinstance(meaning, SpecialForm | Macro) and meaning is SPECIAL_FORMS.get(name)


def is_form(datum: Datum, name: str, env: Env) -> bool:
    """Whether a datum is a use of the special form."""
    return isinstance(datum, List) and bool(datum.items) and is_special(datum.items[0], name, env)


def is_word(datum: Datum, name: str, env: Env) -> bool:
    """Whether a datum is a word such as `else`, which only special forms recognise, and unbound.

    This is R7RS's comparison of free identifiers: within `(let ((else #f)) ...)`, and after
    `(define else #f)`, `else` is an ordinary variable.
    """
    return isinstance(datum, Symbol) and datum.name == name and env.resolve(datum, False) is None


def bad_form(
    form: List, got: Datum | None = None, expected: str | None = None, hint: str | None = None
) -> SyntaxFault:
    """`let: expected ((name value) ...), got 5`; by default the usage, and the form itself.

    hint: what helps if no bracket or keyword stands where it cannot.
    """
    head = form.items[0]
    assert isinstance(head, Symbol), head
    expected = expected or SPECIAL_FORMS[head.name].usage
    message = f"{head.name}: expected {expected}, got {shown(got or form)}"
    # The first part of a malformed form is its bindings, or its name.
    shaped = shape_hint([got] if got else form.items[1:2])
    return SyntaxFault(message, form.span, hint=shaped or hint)


def shape_hint(nearest: Sequence[Datum]) -> str | None:
    """What is wrong if brackets stand for parentheses, or a keyword for a name."""
    inside = [item for datum in nearest if isinstance(datum, List) for item in datum.items]
    for datum in (*nearest, *inside):
        if isinstance(datum, Brackets):
            return f"[...] is a tensor: write {shown(List(datum.items, None, datum.span))}"
        if isinstance(datum, Keyword):
            return f":{datum.name} is a keyword, which cannot be a name: write {datum.name}"
        if isinstance(datum, List) and datum.items and isinstance(datum.items[0], Keyword):
            name = datum.items[0].name
            return f":{name} is a keyword, which cannot be a name: write {name}"
    return None


def shown(datum: Datum) -> str:
    """The datum's text, cut if it is long."""
    text = to_text(datum)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
