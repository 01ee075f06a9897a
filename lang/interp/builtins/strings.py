"""Strings.  They are immutable; indices count characters."""

import math
from typing import Any, NoReturn

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.arguments import elements, index, size_of, slice_of, text_of
from lambent.lang.interp.errors.faults import need_room, no_room, out_of_range, wrong_type
from lambent.lang.interp.values.values import (
    CHARS,
    FALSE,
    TRUE,
    Boolean,
    Char,
    Lisp,
    String,
    Tensor,
    Vector,
    boolean,
    char,
    is_number,
    list_of,
)

_MOST_DECIMALS = 1000
_HINT = "string-append, substring and string-map return new ones"


def is_string(x: Lisp) -> Boolean:
    return boolean(x.__class__ is String)


# Creating, elements and substrings.


def make_string(length: Lisp, fill: Lisp = char(" ")) -> String:  # noqa: B008
    count = size_of("make-string", length)
    if fill.__class__ is not Char:
        wrong_type("make-string", "a character", fill)
    need_room("make-string", count, "characters", 1 if fill.char < "\x80" else 4)
    return String(fill.char * count)


def string(*items: Lisp) -> String:
    from lambent.lang.interp.io.printing import displayed

    return String("".join([displayed(item) for item in items]))


def string_length(x: Lisp) -> int:
    return len(text_of("string-length", x))


def is_string_null(x: Lisp) -> Boolean:
    return boolean(not text_of("string-null?", x))


def string_ref(x: Lisp, k: Lisp) -> Char:
    if x.__class__ is String and k.__class__ is int and 0 <= k < len(x.text):
        return CHARS[x.text[k]]
    length = len(text_of("string-ref", x))
    return out_of_range("string-ref", index("string-ref", k), length)


def substring(x: Lisp, start: Lisp, end: Lisp = FALSE) -> String:
    text = text_of("substring", x)
    return String(text[slice_of("substring", len(text), start, end)])


def string_copy(x: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> String:
    text = text_of("string-copy", x)
    return String(text[slice_of("string-copy", len(text), start, end)])


def string_append(*texts: Lisp) -> String:
    for x in texts:
        if x.__class__ is not String:
            wrong_type("string-append", "a string", x)
    try:
        return String("".join([x.text for x in texts]))
    except MemoryError:
        return no_room("string-append", sum(len(x.text) for x in texts), "characters")


_SPACE = String(" ")


def string_join(texts: Lisp, separator: Lisp = _SPACE) -> String:
    items = elements("string-join", texts)
    delimiter = text_of("string-join", separator)
    return String(delimiter.join([text_of("string-join", item) for item in items]))


# Order.


def string_equal(a: Lisp, b: Lisp) -> Boolean:
    return boolean(text_of("string=?", a) == text_of("string=?", b))


def string_less(a: Lisp, b: Lisp) -> Boolean:
    return boolean(text_of("string<?", a) < text_of("string<?", b))


def string_greater(a: Lisp, b: Lisp) -> Boolean:
    return boolean(text_of("string>?", a) > text_of("string>?", b))


def string_less_or_equal(a: Lisp, b: Lisp) -> Boolean:
    return boolean(text_of("string<=?", a) <= text_of("string<=?", b))


def string_greater_or_equal(a: Lisp, b: Lisp) -> Boolean:
    return boolean(text_of("string>=?", a) >= text_of("string>=?", b))


# Search.


def string_contains(x: Lisp, wanted: Lisp, start: Lisp = 0) -> Lisp:
    text, sought = text_of("string-contains", x), text_of("string-contains", wanted)
    first = index("string-contains", start)
    if first > len(text):
        out_of_range("string-contains", first, len(text))
    at = text.find(sought, first)
    return FALSE if at < 0 else at


def string_split(x: Lisp, separator: Lisp = FALSE) -> Lisp:
    text = text_of("string-split", x)
    if separator is FALSE:
        return list_of([String(word) for word in _words(text)])
    if separator.__class__ is Char:
        delimiter = separator.char
    elif separator.__class__ is String:
        delimiter = separator.text
    else:
        wrong_type("string-split", "a string or a character", separator)
    if not delimiter:
        raise LispError("string-split: the separator is empty")
    return list_of([String(between) for between in text.split(delimiter)])


def _words(text: str) -> list[str]:
    from lambent.lang.interp.values.unicode import WHITE

    blank = text.translate(dict.fromkeys(map(ord, WHITE), " "))
    return [word for word in blank.split(" ") if word]


def is_string_prefix(prefix: Lisp, x: Lisp) -> Boolean:
    start, text = text_of("string-prefix?", prefix), text_of("string-prefix?", x)
    return boolean(text.startswith(start))


def is_string_suffix(suffix: Lisp, x: Lisp) -> Boolean:
    end, text = text_of("string-suffix?", suffix), text_of("string-suffix?", x)
    return boolean(text.endswith(end))


# Strings as lists and vectors of characters.


def string_to_list(x: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Lisp:
    text = text_of("string->list", x)
    return list_of(list(map(char, text[slice_of("string->list", len(text), start, end)])))


def string_to_vector(x: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Vector:
    text = text_of("string->vector", x)
    return Vector(list(map(char, text[slice_of("string->vector", len(text), start, end)])))


def list_to_string(chars: Lisp) -> String:
    return _string_of("list->string", elements("list->string", chars))


def vector_to_string(vector: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> String:
    if vector.__class__ is not Vector:
        wrong_type("vector->string", "a vector", vector)
    items = vector.items
    return _string_of("vector->string", items[slice_of("vector->string", len(items), start, end)])


def _string_of(name: str, chars: list[Lisp]) -> String:
    for item in chars:
        if item.__class__ is not Char:
            wrong_type(name, "a character", item)
    return String("".join([item.char for item in chars]))


# Cases.


def string_upcase(x: Lisp) -> String:
    if x.__class__ is String and x.text.isascii():
        return String(x.text.upper())
    text = text_of("string-upcase", x)
    from lambent.lang.interp.values.unicode import upcase_text

    return String(upcase_text(text))


def string_downcase(x: Lisp) -> String:
    if x.__class__ is String and x.text.isascii():
        return String(x.text.lower())
    text = text_of("string-downcase", x)
    from lambent.lang.interp.values.unicode import downcase_text

    return String(downcase_text(text))


def string_foldcase(x: Lisp) -> String:
    from lambent.lang.interp.values.unicode import foldcase_text

    return String(foldcase_text(text_of("string-foldcase", x)))


# For `format`.


def fixed(x: Lisp, decimals: Lisp) -> String:
    """A tensor of one element stands for its element."""
    from lambent.lang.syntax.numerals import format_double, format_number

    count = 0 if decimals is FALSE else index("format", decimals)
    if count > _MOST_DECIMALS:
        out_of_range("format", count, _MOST_DECIMALS)
    number = _element(x) if isinstance(x, Tensor) else x
    if not is_number(number):
        wrong_type("format", "a number", x)
    if decimals is FALSE:
        return String(format_number(number))
    if number.__class__ is not float:
        return String(_fixed_exact(number, count))
    return String(f"{number:.{count}f}" if math.isfinite(number) else format_double(number))


def _fixed_exact(number: Any, count: int) -> str:
    """The digits are those of the nearest integer to the number times ten to the decimals."""
    from lambent.lang.syntax.numerals import format_number

    digits = format_number(abs(round(number * 10**count))).rjust(count + 1, "0")
    whole = len(digits) - count
    return ("-" if number < 0 else "") + digits[:whole] + ("." if count else "") + digits[whole:]


def _element(x: Lisp) -> Lisp:
    from lambent.lang.interp.builtins.tensors import naming

    with naming("format") as module:
        element = module.item(x)
    return int(element is TRUE) if element.__class__ is Boolean else element


def written(x: Lisp) -> String:
    from lambent.lang.interp.io import printing

    return String(printing.written(x))


# Operations that strings refuse.


def _refuse(name: str) -> NoReturn:
    raise LispError(f"{name}: strings are immutable", hint=_HINT)


def string_set(text: Lisp, k: Lisp, c: Lisp) -> NoReturn:
    _refuse("string-set!")


def string_fill(text: Lisp, c: Lisp, start: Lisp = FALSE, end: Lisp = FALSE) -> NoReturn:
    _refuse("string-fill!")


def string_copy_to(
    to: Lisp, at: Lisp, source: Lisp, start: Lisp = FALSE, end: Lisp = FALSE
) -> NoReturn:
    _refuse("string-copy!")
