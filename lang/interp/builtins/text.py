"""Characters and strings.  Strings are immutable; indices count characters."""

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.data import elements, index
from lambent.lang.interp.faults import out_of_range, wrong_type
from lambent.lang.interp.values import (
    FALSE,
    Boolean,
    Char,
    Lisp,
    String,
    boolean,
    char,
    list_of,
)

# The surrogates are no characters, and nothing lies beyond the last code point.
_FIRST_SURROGATE, _LAST_SURROGATE, _LAST_CODE = 0xD800, 0xDFFF, 0x10FFFF


def _text(name: str, x: Lisp) -> str:
    if x.__class__ is not String:
        wrong_type(name, "a string", x)
    return x.text


def _char(name: str, x: Lisp) -> str:
    if x.__class__ is not Char:
        wrong_type(name, "a character", x)
    return x.char


def is_string(x: Lisp) -> Boolean:
    return boolean(x.__class__ is String)


def is_char(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Char)


def string_length(x: Lisp) -> int:
    return len(_text("string-length", x))


def string_ref(x: Lisp, k: Lisp) -> Char:
    text = _text("string-ref", x)
    at = index("string-ref", k)
    if at >= len(text):
        out_of_range("string-ref", at, len(text))
    return char(text[at])


def substring(x: Lisp, start: Lisp, end: Lisp = FALSE) -> String:
    text = _text("substring", x)
    first = index("substring", start)
    if first > len(text):
        out_of_range("substring", first, len(text))
    last = len(text) if end is FALSE else index("substring", end)
    if last > len(text):
        out_of_range("substring", last, len(text))
    if first > last:
        out_of_range("substring", first, last)
    return String(text[first:last])


def string_append(*texts: Lisp) -> String:
    return String("".join([_text("string-append", x) for x in texts]))


def string(*items: Lisp) -> String:
    from lambent.lang.interp.printing import displayed

    return String("".join([displayed(item) for item in items]))


def string_equal(a: Lisp, b: Lisp) -> Boolean:
    return boolean(_text("string=?", a) == _text("string=?", b))


def string_less(a: Lisp, b: Lisp) -> Boolean:
    return boolean(_text("string<?", a) < _text("string<?", b))


def string_contains(x: Lisp, part: Lisp) -> Lisp:
    at = _text("string-contains", x).find(_text("string-contains", part))
    return FALSE if at < 0 else at


def string_split(x: Lisp, separator: Lisp) -> Lisp:
    text, mark = _text("string-split", x), _text("string-split", separator)
    if not mark:
        raise LispError("string-split: the separator is empty")
    return list_of([String(part) for part in text.split(mark)])


_SPACE = String(" ")


def string_join(texts: Lisp, separator: Lisp = _SPACE) -> String:
    items = elements("string-join", texts)
    mark = _text("string-join", separator)
    return String(mark.join([_text("string-join", item) for item in items]))


def string_trim(x: Lisp) -> String:
    return String(_text("string-trim", x).strip())


def is_string_prefix(prefix: Lisp, x: Lisp) -> Boolean:
    start, text = _text("string-prefix?", prefix), _text("string-prefix?", x)
    return boolean(text.startswith(start))


def string_to_list(x: Lisp) -> Lisp:
    return list_of([char(c) for c in _text("string->list", x)])


def list_to_string(chars: Lisp) -> String:
    items = elements("list->string", chars)
    return String("".join([_char("list->string", item) for item in items]))


def char_to_integer(x: Lisp) -> int:
    return ord(_char("char->integer", x))


def integer_to_char(code: Lisp) -> Char:
    number = index("integer->char", code)
    if number > _LAST_CODE or _FIRST_SURROGATE <= number <= _LAST_SURROGATE:
        wrong_type("integer->char", "a code point", code)
    return char(chr(number))


def char_equal(a: Lisp, b: Lisp) -> Boolean:
    return boolean(_char("char=?", a) == _char("char=?", b))


def char_less(a: Lisp, b: Lisp) -> Boolean:
    return boolean(_char("char<?", a) < _char("char<?", b))
