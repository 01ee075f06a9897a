"""Properties and cases of characters, from the same tables as in executables.

Python's own methods serve ASCII, where all editions of Unicode agree; the runtime's tables serve
the rest, and are read when they are first needed.  `runtime/text/unicode.c` is the counterpart.
"""

import re
from bisect import bisect_right
from functools import cache

WHITE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_RUN, _MAPPING = 3, 4
_CAPITAL_SIGMA, _FINAL_SIGMA = "\u03a3", "\u03c2"
_DOTTED_CAPITAL_I, _DOTTED_I = "\u0130", "i\u0307"

# Properties.


def is_alphabetic(char: str) -> bool:
    return char.isalpha() if char.isascii() else _is_in("alphabetic", char)


def is_upper(char: str) -> bool:
    return char.isupper() if char.isascii() else _is_in("upper", char)


def is_lower(char: str) -> bool:
    return char.islower() if char.isascii() else _is_in("lower", char)


def decimal_value(char: str) -> int | None:
    """The value of a digit of any script."""
    if char.isascii():
        return int(char) if char.isdigit() else None
    entry = _entry("decimal", ord(char), _RUN)
    return None if entry is None else ord(char) - entry[0]


# Cases of one character.


def upcase(char: str) -> str:
    return char.upper() if char.isascii() else _mapped("upcase", char)


def downcase(char: str) -> str:
    return char.lower() if char.isascii() else _mapped("downcase", char)


def foldcase(char: str) -> str:
    return char.lower() if char.isascii() else _mapped("foldcase", char)


# Cases of texts, where one character may become several.


def upcase_text(text: str) -> str:
    return text.upper() if text.isascii() else "".join(map(_upcase_fully, text))


def foldcase_text(text: str) -> str:
    return text.lower() if text.isascii() else "".join(map(_foldcase_fully, text))


def downcase_text(text: str) -> str:
    """The lower case of a text; a sigma at the end of a word has a special lower case."""
    if text.isascii():
        return text.lower()
    lowered = [
        _FINAL_SIGMA if char == _CAPITAL_SIGMA and _ends_word(text, at) else _downcase_fully(char)
        for at, char in enumerate(text)
    ]
    return "".join(lowered)


def _ends_word(text: str, at: int) -> bool:
    """Whether a cased character is before an index and none after it, ignorable ones skipped."""
    return _sees_cased(text, at - 1, -1) and not _sees_cased(text, at + 1, 1)


def _sees_cased(text: str, at: int, step: int) -> bool:
    """Whether the first character from an index on that is not ignorable has a case."""
    while 0 <= at < len(text) and _is_in("ignorable", text[at]):
        at += step
    return 0 <= at < len(text) and _is_cased(text[at])


def _is_cased(char: str) -> bool:
    return is_lower(char) or is_upper(char) or _is_in("title", char)


@cache
def _upcase_fully(char: str) -> str:
    return _expansions("upcase_expansions").get(char) or upcase(char)


@cache
def _foldcase_fully(char: str) -> str:
    return _expansions("foldcase_expansions").get(char) or foldcase(char)


def _downcase_fully(char: str) -> str:
    return _DOTTED_I if char == _DOTTED_CAPITAL_I else downcase(char)


# The tables.


@cache
def _texts() -> dict[str, str]:
    """The numbers of each table, as C has them."""
    from pathlib import Path  # which a start does without

    header = Path(__file__).parents[3] / "runtime" / "text" / "unicode_tables.h"
    return dict(re.findall(r"(\w+)\[\] = \{([^;]*)\};", header.read_text("utf-8")))


@cache
def table(name: str) -> tuple[int, ...]:
    """The numbers of a table: of runs (first, last - first, step), of mappings the same and the
    difference, of expansions a code and three codes, 0 for none."""
    return tuple(map(int, re.findall(r"-?\d+", _texts()[name])))


@cache
def _firsts(name: str, width: int) -> tuple[int, ...]:
    return table(name)[::width]


def _entry(name: str, code: int, width: int) -> tuple[int, ...] | None:
    """The run that contains a code point."""
    at = (bisect_right(_firsts(name, width), code) - 1) * width
    if at < 0:
        return None
    entry = table(name)[at : at + width]
    first, reach, step = entry[:_RUN]
    return entry if code - first <= reach and (code - first) % step == 0 else None


def _is_in(name: str, char: str) -> bool:
    return _entry(name, ord(char), _RUN) is not None


@cache
def _mapped(name: str, char: str) -> str:
    entry = _entry(name, ord(char), _MAPPING)
    return char if entry is None else chr(ord(char) + entry[-1])


@cache
def _expansions(name: str) -> dict[str, str]:
    numbers = table(name)
    rows = [numbers[at : at + _MAPPING] for at in range(0, len(numbers), _MAPPING)]
    return {chr(code): "".join(map(chr, filter(None, codes))) for code, *codes in rows}
