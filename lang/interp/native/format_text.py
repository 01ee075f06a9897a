"""`format` in Python, for the usual directives: ~a ~s ~d ~,2f ~% ~~, with a width.

    "~a has ~5d~%"  =>  "%s has %5s\\n" and the kinds "ad", which are kept for the next call

Everything else, mistakes too, is for the definition in Lisp: stdlib/text/format.lisp.
"""

import re
from collections.abc import Callable

from lambent.lang.interp.native import NATIVE
from lambent.lang.interp.values.values import FALSE, Lisp, String, list_of

# A plan is the text for Python's % operator, and the letter of each argument's directive.
_Plan = tuple[str, str]

_DIRECTIVE = re.compile(r"~(?:(\d{1,2})?(?:,(\d{1,2}))?([adsf])|([%~]))", re.IGNORECASE | re.ASCII)
_MOST_PLANS = 200
_ROOM = 3  # for a sign, a zero and the point: a zero without room is left out
_plans: dict[str, _Plan | None] = {}


def format_(destination: Lisp, arguments: tuple[Lisp, ...], lisp: Callable[..., Lisp]) -> Lisp:
    """A call of `format`."""
    if destination.__class__ is String:
        text = _formatted(destination.text, arguments)
    elif destination is FALSE and arguments and arguments[0].__class__ is String:
        text = _formatted(arguments[0].text, arguments[1:])
    else:
        text = None
    return lisp(destination, *arguments) if text is None else text


def _formatted(template: str, arguments: tuple[Lisp, ...]) -> Lisp:
    """A string; None if the definition in Lisp must make it."""
    try:
        plan = _plans[template]
    except KeyError:
        plan = _remembered(template)
    return plan and NATIVE.format_plan(plan[0], plan[1], arguments)


def _remembered(template: str) -> _Plan | None:
    if len(_plans) == _MOST_PLANS:
        _plans.clear()
    plan = _plans[template] = _plan_of(template)
    return plan


def _plan_of(template: str) -> _Plan | None:
    """The plan of a template; None if it has other directives."""
    texts: list[str] = []
    letters: list[str] = []
    end = 0
    for directive in _DIRECTIVE.finditer(template):
        width, decimals, letter, plain = directive.groups()
        texts.append(template[end : directive.start()].replace("%", "%%"))
        end = directive.end()
        if plain:
            texts.append("\n" if plain == "%" else "~")
            continue
        letter = letter.lower()
        if (decimals is None) == (letter == "f"):
            return None
        if letter == "f" and width and int(width) < int(decimals) + _ROOM:
            return None
        padded = (width or "") if letter in "df" else f"-{width}" if width else ""
        texts.append(f"%{padded}.{decimals}f" if letter == "f" else f"%{padded}s")
        letters.append(letter)
    texts.append(template[end:].replace("%", "%%"))
    literal = _DIRECTIVE.sub("", template)
    return None if "~" in literal else ("".join(texts), "".join(letters))


def formatted(text: Lisp, arguments: tuple[Lisp, ...], lisp: Callable[..., Lisp]) -> Lisp:
    """A call of `%formatted`, whose second argument is the list of the arguments."""
    made = _formatted(text.text, tuple(arguments))
    return lisp(text, list_of(arguments)) if made is None else made
