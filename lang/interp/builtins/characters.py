"""Characters."""

from collections.abc import Callable
from typing import NoReturn

from lambent.lang.interp.builtins.arguments import index
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values import unicode
from lambent.lang.interp.values.values import (
    FALSE,
    TRUE,
    Boolean,
    Char,
    Lisp,
    Vector,
    boolean,
    char,
)

# Surrogates are not characters, and there are no code points above the last one.
_FIRST_SURROGATE, _LAST_SURROGATE, _LAST_CODE = 0xD800, 0xDFFF, 0x10FFFF


def is_char(x: Lisp) -> Boolean:
    return boolean(x.__class__ is Char)


def _char(name: str, x: Lisp) -> str:
    if x.__class__ is not Char:
        wrong_type(name, "a character", x)
    return x.char


def char_to_integer(x: Lisp) -> int:
    return ord(_char("char->integer", x))


def integer_to_char(code: Lisp) -> Char:
    number = index("integer->char", code)
    if number > _LAST_CODE or _FIRST_SURROGATE <= number <= _LAST_SURROGATE:
        wrong_type("integer->char", "a code point", code)
    return char(chr(number))


# Order.  There is one object for each character.


def char_equal(a: Lisp, b: Lisp) -> Boolean:
    if a.__class__ is Char and b.__class__ is Char:
        return TRUE if a is b else FALSE
    return _refuse("char=?", a, b)


def char_less(a: Lisp, b: Lisp) -> Boolean:
    if a.__class__ is Char and b.__class__ is Char:
        return TRUE if a.char < b.char else FALSE
    return _refuse("char<?", a, b)


def char_greater(a: Lisp, b: Lisp) -> Boolean:
    if a.__class__ is Char and b.__class__ is Char:
        return TRUE if a.char > b.char else FALSE
    return _refuse("char>?", a, b)


def char_less_or_equal(a: Lisp, b: Lisp) -> Boolean:
    if a.__class__ is Char and b.__class__ is Char:
        return TRUE if a.char <= b.char else FALSE
    return _refuse("char<=?", a, b)


def char_greater_or_equal(a: Lisp, b: Lisp) -> Boolean:
    if a.__class__ is Char and b.__class__ is Char:
        return TRUE if a.char >= b.char else FALSE
    return _refuse("char>=?", a, b)


def _refuse(name: str, a: Lisp, b: Lisp) -> NoReturn:
    wrong_type(name, "a character", b if a.__class__ is Char else a)


# Properties.


def _property(name: str, test: Callable[[str], bool]) -> Callable[[Lisp], Boolean]:
    def check(x: Lisp) -> Boolean:
        return TRUE if test(_char(name, x)) else FALSE

    return check


is_char_alphabetic = _property("char-alphabetic?", unicode.is_alphabetic)
is_char_numeric = _property("char-numeric?", lambda c: unicode.decimal_value(c) is not None)
is_char_whitespace = _property("char-whitespace?", lambda c: c in unicode.WHITE)
is_char_upper_case = _property("char-upper-case?", unicode.is_upper)
is_char_lower_case = _property("char-lower-case?", unicode.is_lower)


def digit_value(x: Lisp) -> Lisp:
    value = unicode.decimal_value(_char("digit-value", x))
    return FALSE if value is None else value


# Cases.


def char_upcase(x: Lisp) -> Char:
    return char(unicode.upcase(_char("char-upcase", x)))


def char_downcase(x: Lisp) -> Char:
    return char(unicode.downcase(_char("char-downcase", x)))


def char_foldcase(x: Lisp) -> Char:
    return char(unicode.foldcase(_char("char-foldcase", x)))


# All characters of a property.

_PROPERTIES = (
    "letter", "mark", "number", "punctuation", "symbol", "upper", "lower", "title", "decimal",
)


def property_runs(x: Lisp) -> Vector:
    """The numbers of a table of runs; `%property-runs` in `lang/primitives/` has their order."""
    if x.__class__ is not int or not 0 <= x < len(_PROPERTIES):
        wrong_type("%property-runs", "the number of a property", x)
    return Vector(list(unicode.table(_PROPERTIES[x])))
