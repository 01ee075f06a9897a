"""Constants of a program: C expressions for them, and the code that makes them at the start.

What fits a word is written where it is used; strings, symbols, large numbers and quoted data are
made once, before the program runs, and live as long as it does.

    7      =>  rt_of_fixnum(7)
    "hi"   =>  text_hi         with  text_hi = rt_literal_string("hi", 2);
    '(a 1) =>  list_1          with  list_1 = rt_literal_list(2, (rt_value[]){...}, RT_NIL);
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from lambent.lang.compile.anf import FIXNUM_MAX, FIXNUM_MIN, Type
from lambent.lang.compile.names import Scope, c_bytes, c_string, c_suffix
from lambent.lang.core.ir import Special
from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Bytes,
    Character,
    Datum,
    Keyword,
    Labelled,
    List,
    Number,
    Reference,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.labels import labelled_text
from lambent.lang.syntax.source import Span


@dataclass(slots=True)
class Literals:
    """The constants that have been asked for, each made once.

    Where equal constants can be told apart (by eq?, or since their parts can be replaced), each
    place in the source has its own.
    """

    _names: dict[tuple[str, str], str] = field(default_factory=dict)  # (C, place) -> name
    _scope: Scope = field(default_factory=Scope)

    def expression(self, value: Datum | Special, type_: Type) -> str:
        """The C expression of a constant as a value of that type."""
        match type_, value:
            case Type.BOOLEAN, Boolean(truth):
                return "true" if truth else "false"
            case Type.FIXNUM, Number(int(number)):
                return _int64(number)
            case Type.FLOAT, Number(number):
                return c_double(float(number))
            case Type.VALUE, _:
                return self._value(value)
        raise AssertionError((value, type_))

    def string(self, text: str, place: str = "") -> str:
        """The C expression of a constant string."""
        made = f"rt_literal_string({c_bytes(text.encode())}, {len(text.encode())})"
        return self._made(made, "text", text, place)

    def declarations(self) -> Iterator[str]:
        """The variables that hold the constants."""
        for name in self._names.values():
            yield f"static rt_value {name};"

    def making(self) -> Iterator[str]:
        """The statements that make the constants, parts before wholes."""
        for (code, _), name in self._names.items():
            yield f"    {name} = {code};"

    def _value(self, value: Datum | Special) -> str:
        match value:
            case Special.UNSPECIFIED:
                return "RT_UNSPECIFIED"
            case Special.ABSENT:
                return "RT_ABSENT"
            case Boolean(truth):
                return "RT_TRUE" if truth else "RT_FALSE"
            case Character(char):
                return f"RT_CHAR({ord(char)})"
            case Number(number):
                return self._number(number)
            case String(text, span):
                return self.string(text, place_of(span))
            case Symbol(name):
                return self._interned("rt_intern", name, "symbol")
            case Keyword(name):
                return self._interned("rt_intern_keyword", name, "keyword")
            case List(items, tail, span):
                if not items:
                    return "RT_NIL"
                end = "RT_NIL" if tail is None else self._value(tail)
                made = f"rt_literal_list({self._items(items)}, {end})"
                return self._made(made, "list", place=place_of(span))
            case Vector(items, span):
                made = f"rt_literal_vector({self._items(items)})"
                return self._made(made, "vector", place=place_of(span))
            case Bytes(data, span):
                made = f"rt_literal_bytes({len(data)}, {c_bytes(data)})"
                return self._made(made, "bytes", place=place_of(span))
            case Labelled(_, _, span):
                text = labelled_text(value)
                made = f"rt_literal_read({c_bytes(text.encode())}, {len(text.encode())})"
                return self._made(made, "circle", place=place_of(span))
            case Reference():
                raise AssertionError("references stand in the data that they lead to")
            case Brackets():
                raise AssertionError(f"{value}: a tensor is no constant")

    def _interned(self, function: str, name: str, kind: str) -> str:
        """A symbol or keyword, by a C string unless its name holds a NUL."""
        if "\0" in name:
            made = f"{function}_sized({c_bytes(name.encode())}, {len(name.encode())})"
        else:
            made = f"{function}({c_string(name)})"
        return self._made(made, kind, name)

    def _number(self, number: int | Fraction | float) -> str:
        match number:
            case int() if FIXNUM_MIN <= number <= FIXNUM_MAX:
                return f"rt_of_fixnum({_int64(number)})"
            case int():
                return self._made(f"rt_literal_integer({c_string(str(number))})", "number")
            case Fraction(numerator=above, denominator=below):
                made = f"rt_literal_ratio({c_string(str(above))}, {c_string(str(below))})"
                return self._made(made, "number")
            case float():
                return self._made(f"rt_literal_double({c_double(number)})", "number")
        raise AssertionError(number)

    def _items(self, items: tuple[Datum, ...]) -> str:
        """The count and the array of elements."""
        if not items:
            return "0, NULL"
        return f"{len(items)}, (rt_value[]){{{', '.join(map(self._value, items))}}}"

    def _made(self, code: str, kind: str, text: str = "", place: str = "") -> str:
        """The name of the constant that code makes, which tells what it is if that is short."""
        if (code, place) not in self._names:
            words = re.sub(r"[^A-Za-z0-9]+", "_", text)
            ending = (words if kind == "text" or not text else c_suffix(text))[:24].strip("_")
            name = self._scope.fresh(f"{kind}_{ending}" if ending else f"{kind}_1")
            self._names[code, place] = name
        return self._names[code, place]


def place_of(span: Span) -> str:
    return f"{span.source.name}:{span.start}:{span.end}"


def c_double(number: float) -> str:
    """A C expression of exactly this double."""
    if math.isnan(number):
        return "(double)NAN"
    if math.isinf(number):
        return "(double)INFINITY" if number > 0 else "(-(double)INFINITY)"
    text = repr(number)
    return f"({text})" if text.startswith("-") else text


def _int64(number: int) -> str:
    text = str(number) if abs(number) < 2**31 else f"INT64_C({number})"
    return f"({text})" if number < 0 else text
