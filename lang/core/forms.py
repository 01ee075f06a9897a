"""The table of special forms, and how a malformed one is reported.

    @special_form("if", "(if test then [else])")
    def if_form(form: List, env: Env) -> Core: ...

Modules enter their forms by being imported; `analyze` imports them all.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lambent.lang.core.ir import Core
from lambent.lang.core.scope import Env
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Datum, List, Symbol
from lambent.lang.syntax.text import to_text

_SHOWN = 60  # characters of a datum that a message quotes

Handler = Callable[[List, Env], Core]


@dataclass(frozen=True, slots=True)
class SpecialForm:
    name: str
    usage: str
    handler: Handler


SPECIAL_FORMS: dict[str, SpecialForm] = {}


def special_form(name: str, usage: str) -> Callable[[Handler], Handler]:
    """Enter a function as the meaning of a special form."""

    def enter(handler: Handler) -> Handler:
        assert name not in SPECIAL_FORMS, name
        SPECIAL_FORMS[name] = SpecialForm(name, usage, handler)
        return handler

    return enter


def is_special(datum: Datum, name: str, env: Env) -> bool:
    """Whether a datum is the name of a special form and nothing hides that meaning."""
    return isinstance(datum, Symbol) and datum.name == name and not is_hidden(name, env)


def is_hidden(name: str, env: Env) -> bool:
    """Whether a variable takes the place of a special form's name."""
    return env.unit.is_global(name) or env.lookup(name) is not None


def is_form(datum: Datum, name: str, env: Env) -> bool:
    """Whether a datum is a use of the special form."""
    return isinstance(datum, List) and bool(datum.items) and is_special(datum.items[0], name, env)


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
