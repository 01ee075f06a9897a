"""The table of special forms, and how a malformed one is reported.

    @special_form("if", "(if test then [else])")
    def if_form(form: List, env: Env) -> Core: ...

    @rewriting_form("unless", "(unless test form ...)")
    def unless_form(form: List, env: Env) -> Datum:   # gives another form, in terms of others
        return listed(form, core("if", form, env), ...)

Modules enter their forms by being imported; `analyze` imports them all.  Forms that stand for
definitions (`define-values` ...) are rewriting forms: top level and bodies take them apart.
"""

from collections.abc import Callable

from lambent.lang.core.denotation import Alias, Denotation, Macro, SpecialForm
from lambent.lang.core.ir import Core
from lambent.lang.core.scope import SPECIAL_FORMS, Env
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, Symbol
from lambent.lang.syntax.text import to_text

_SHOWN = 60  # characters of a datum that a message quotes

Handler = Callable[[List, Env], Core]
Rewriter = Callable[[List, Env], Datum]


def special_form(name: str, usage: str) -> Callable[[Handler], Handler]:
    """Enter a function as the meaning of a special form."""

    def enter(handler: Handler) -> Handler:
        assert name not in SPECIAL_FORMS, name
        SPECIAL_FORMS[name] = SpecialForm(name, usage, handler)
        return handler

    return enter


def rewriting_form(name: str, usage: str) -> Callable[[Rewriter], Rewriter]:
    """Enter a function as a form that stands for another one, which it gives."""

    def enter(rewriter: Rewriter) -> Rewriter:
        assert name not in SPECIAL_FORMS, name
        SPECIAL_FORMS[name] = Macro(name, rewriter, usage, visible=False)
        return rewriter

    return enter


# What rewriting forms give.


def core_name(name: str, form: List, env: Env) -> Symbol:
    """An identifier that means a special form or a name of the library, whatever hides it here."""
    return Alias(name, form.span, Symbol(name, form.span), env.unit.scope.ambient_env())


def fresh_name(name: str, form: List, env: Env) -> Symbol:
    """An identifier for a variable that no other code can see."""
    return core_name(name, form, env)


def listed(form: List, *items: Datum) -> List:
    """A list at the form's place."""
    return List(items, None, form.span)


# What data are.


def is_special(datum: Datum, name: str, env: Env) -> bool:
    """Whether a datum is an identifier that means the special form."""
    return isinstance(datum, Symbol) and is_special_form(env.resolve(datum), name)


def is_special_form(meaning: Denotation | None, name: str) -> bool:
    return isinstance(meaning, SpecialForm | Macro) and meaning is SPECIAL_FORMS.get(name)


def is_form(datum: Datum, name: str, env: Env) -> bool:
    """Whether a datum is a use of the special form."""
    return isinstance(datum, List) and bool(datum.items) and is_special(datum.items[0], name, env)


def is_word(datum: Datum, name: str, env: Env) -> bool:
    """Whether a datum is a word that only forms know, like `else`, and nothing gives it a meaning.

    That is R7RS's comparison of free identifiers: under `(let ((else #f)) ...)` it is no such word.
    """
    return isinstance(datum, Symbol) and datum.name == name and env.resolve(datum) is None


def bad_form(form: List, got: Datum | None = None, expected: str | None = None) -> SyntaxFault:
    """`let: expected ((name value) ...), got 5`; without more ado the usage and the whole form."""
    head = form.items[0]
    assert isinstance(head, Symbol), head
    expected = expected or SPECIAL_FORMS[head.name].usage
    return SyntaxFault(f"{head.name}: expected {expected}, got {shown(got or form)}", form.span)


def shown(datum: Datum) -> str:
    """The datum's text, cut if it is long."""
    text = to_text(datum)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
