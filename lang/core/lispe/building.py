"""How the forms of LispE write what replaces them, and how they walk over their text.

    make(form, env, "if", ("%true?", test), yes, nil(form))  =>  the datum (if (%true? test) yes #f)

A string names a special form or a procedure of the library, and is safe from the names of the
program; one that begins with % names a procedure of stdlib/lispe.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from lambent.lang.core.denotation import Macro
from lambent.lang.core.scope import SPECIAL_FORMS, Env
from lambent.lang.core.special_forms import core_name, shown
from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Boolean, Brackets, Datum, List, String, Symbol

MODULE = "lispe"
DICTIONARY = "%dictionary"  # what the reader puts at the head of {"a":1}
SELF, BREAK, RETURN = "%self", "%break", "%return"

Part: TypeAlias = str | Datum | tuple["Part", ...]
Rewriter: TypeAlias = Callable[[List, Env], Datum]

FORMS: dict[str, Macro] = {}


def lispe_form(name: str, usage: str) -> Callable[[Rewriter], Rewriter]:
    """Register a function that returns what replaces a use of a form."""

    def register(rewriter: Rewriter) -> Rewriter:
        assert name not in FORMS, name
        FORMS[name] = Macro(name, rewriter, usage, visible=False)
        return rewriter

    return register


def make(form: List, env: Env, *parts: Part) -> List:
    """The list of the parts, with the form's span."""
    return List(tuple([_made(part, form, env) for part in parts]), None, form.span)


def _made(part: Part, form: List, env: Env) -> Datum:
    if isinstance(part, str):
        return named(part, form, env)
    return make(form, env, *part) if isinstance(part, tuple) else part


def named(name: str, form: List, env: Env) -> Symbol:
    """The identifier of a special form or of a procedure of the library."""
    if name.startswith("%") and name not in SPECIAL_FORMS:
        name = f"{name}{{{MODULE}}}"
    return core_name(name, form, env)


def nil(form: List) -> Boolean:
    return Boolean(False, form.span)


def text(value: str, form: List) -> String:
    return String(value, form.span)


def symbol(name: str, form: List) -> Symbol:
    """A name that the program's text would see."""
    return Symbol(name, form.span)


def quoted(datum: Datum, form: List, env: Env) -> List:
    return make(form, env, "quote", datum)


def body(data: Sequence[Datum], form: List) -> tuple[Datum, ...]:
    """The forms of a body, nil if there are none."""
    return tuple(data) or (nil(form),)


def wrong(form: List, usage: str) -> SyntaxFault:
    head = form.items[0]
    assert isinstance(head, Symbol), head
    return SyntaxFault(f"{head.name}: expected {usage}, got {shown(form)}", form.span)


# Walks over the text of a program, before its forms are replaced.

_OWN_SCOPE = ("lambda", "λ", "\\", "defun", "dethread", "defpat", "class@", "defmacro", "data@")


def head_of(datum: Datum) -> str:
    """The name at the head of a form; "" if there is none."""
    match datum:
        case List((Symbol(name), *_)):
            return name
    return ""


def forms_in(data: Sequence[Datum], enter: Sequence[str] = ()) -> Iterator[List]:
    """All forms in the data but those in quotations, and in functions that are not to be entered.

    enter: heads of forms with a scope of their own that are walked nevertheless.
    """
    waiting = list(reversed(data))
    while waiting:
        datum = waiting.pop()
        if isinstance(datum, Brackets):
            waiting += reversed(datum.items)
        if not isinstance(datum, List) or not datum.items:
            continue
        head = head_of(datum)
        if head == "quote":
            continue
        yield datum
        if head not in _OWN_SCOPE or head in enter:
            waiting += reversed(datum.items)


def assigned(
    data: Sequence[Datum], setters: Sequence[str], everywhere: bool = False
) -> dict[str, Symbol]:
    """The names that forms such as `setq` in the data assign, in order."""
    targets: dict[str, Symbol] = {}
    for form in forms_in(data, _OWN_SCOPE if everywhere else ()):
        match form.items:
            case (Symbol(head), Symbol(name) as target, *_) if head in setters:
                targets.setdefault(name, target)
    return targets


def mentions(data: Sequence[Datum], head: str) -> bool:
    """Whether a form with the head is in the data."""
    return any(head_of(form) == head for form in forms_in(data))
