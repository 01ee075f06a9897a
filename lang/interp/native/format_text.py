"""`format` in Python, for the usual directives: ~a ~s ~d ~,2f ~% ~~, with a width.

    "~a has ~5d~%"  =>  "%s has %5s\\n" and the kinds "ad", which are kept for the next call

Everything else, mistakes too, is for the definition in Lisp: stdlib/language/format.lisp.
"""

import re
from collections.abc import Callable
from math import isfinite

from lambent.lang.interp.io.printing import displayed, written
from lambent.lang.interp.values.values import FALSE, Lisp, String, list_of

# A plan is the text for Python's % operator, and the letter of each argument's directive.
_Plan = tuple[str, str]

_DIRECTIVE = re.compile(r"~(?:(\d{1,2})?(?:,(\d{1,2}))?([adsf])|([%~]))", re.IGNORECASE | re.ASCII)
_MOST_PLANS = 200
_plans: dict[str, _Plan | None] = {}
_SAFE = 10**15  # integers below it are written, and converted to doubles, without a thought


def format_(destination: Lisp, arguments: tuple[Lisp, ...], lisp: Callable[..., Lisp]) -> Lisp:
    """A call of `format`."""
    if destination.__class__ is String:
        text = _formatted(destination.text, arguments)
    elif destination is FALSE and arguments and arguments[0].__class__ is String:
        text = _formatted(arguments[0].text, arguments[1:])
    else:
        text = None
    return lisp(destination, *arguments) if text is None else String(text)


def _formatted(template: str, arguments: tuple[Lisp, ...]) -> str | None:
    try:
        plan = _plans[template]
    except KeyError:
        plan = _remembered(template)
    if plan is None or len(plan[1]) != len(arguments):
        return None
    texts: list[str | float] = []
    for letter, x in zip(plan[1], arguments, strict=True):
        kind = x.__class__
        if letter == "a":
            texts.append(x.text if kind is String else displayed(x))
        elif letter == "s":
            texts.append(written(x))
        elif kind is int and -_SAFE < x < _SAFE:
            texts.append(str(x) if letter == "d" else float(x))
        elif letter == "f" and kind is float and isfinite(x):
            texts.append(x)
        else:
            return None
    return plan[0] % tuple(texts)


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
    for found in _DIRECTIVE.finditer(template):
        width, decimals, letter, plain = found.groups()
        texts.append(template[end : found.start()].replace("%", "%%"))
        end = found.end()
        if plain:
            texts.append("\n" if plain == "%" else "~")
            continue
        letter = letter.lower()
        if (decimals is None) == (letter == "f"):
            return None
        padded = (width or "") if letter in "df" else f"-{width}" if width else ""
        texts.append(f"%{padded}.{decimals}f" if letter == "f" else f"%{padded}s")
        letters.append(letter)
    texts.append(template[end:].replace("%", "%%"))
    literal = _DIRECTIVE.sub("", template)
    return None if "~" in literal else ("".join(texts), "".join(letters))


def formatted(text: Lisp, arguments: tuple[Lisp, ...], lisp: Callable[..., Lisp]) -> Lisp:
    """A call of `%formatted`, whose second argument is the list of the arguments."""
    found = _formatted(text.text, arguments)
    return lisp(text, list_of(arguments)) if found is None else String(found)
