"""Constant folding: primitives whose arguments are constants, where the result is certain.

    (+ 1 2)         =>  3
    (null? '())     =>  #t
    (%absent? 4)    =>  #f
    (eqv? x 'a)     =>  (%same? x 'a)      which compares two words
    (if (memq x '(a b)) ...)  =>  (if (if (%same? x 'a) #t (%same? x 'b)) ...)

Only exact integers, doubles and tests of types are computed here: their results follow from the
arguments alone, and equal those at run time.  What would be an error remains for the run.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import add, eq, ge, gt, le, lt, mul, sub
from typing import Any

from lambent.lang.core.ir import Const, Core, If, Lambda, Let, Local, PrimCall, PrimRef, Special
from lambent.lang.primitives.table import TABLE, Origin, Primitive
from lambent.lang.syntax.datum import (
    Boolean,
    Character,
    Datum,
    List,
    Number,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import replace

_LARGEST = 2**256  # of the integers that are computed here

_LARGEST_WORD = 2**61  # integers below need no object
_EQUALITIES = ("eq?", "eqv?", "equal?")
_MEMBERSHIPS = ("memq", "memv", "member")
_MOST_COMPARED = 12  # items of a literal list: more are searched for

_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul}
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": eq, "<": lt, ">": gt, "<=": le, ">=": ge,
}  # fmt: skip
_SIMPLE = (Boolean, Character, List, Number, String, Symbol, Vector)
_TYPES: Mapping[str, Callable[[Datum], bool]] = {
    "null?": lambda value: isinstance(value, List) and not value.items,
    "pair?": lambda value: isinstance(value, List) and bool(value.items),
    "symbol?": lambda value: isinstance(value, Symbol),
    "string?": lambda value: isinstance(value, String),
    "char?": lambda value: isinstance(value, Character),
    "boolean?": lambda value: isinstance(value, Boolean),
    "vector?": lambda value: isinstance(value, Vector),
    "number?": lambda value: isinstance(value, Number),
    "procedure?": lambda value: False,
    "not": lambda value: isinstance(value, Boolean) and not value.value,
}


def folded(call: PrimCall) -> Core:
    """The constant that a call returns, or the same call of a cheaper primitive."""
    if call.primitive.origin is not Origin.RUNTIME:
        return call
    if call.primitive.name in _EQUALITIES and any(map(_is_one_word, call.arguments)):
        return PrimCall(TABLE["%same?"], call.arguments, call.span)
    value = _value(call)
    return call if value is None else Const(value, call.span)


def tested(test: Core, fresh: Callable[[str, str], str], mentions: Counter[str]) -> Core:
    """A test of which only the truth counts: a search of a short literal list compares words.

    mentions: how often local variables are mentioned, which is kept up to date.
    """
    match test:
        case If(_, then, orelse):
            return replace(
                test, then=tested(then, fresh, mentions), orelse=tested(orelse, fresh, mentions)
            )
        case Let(_, _, body):
            return replace(test, body=tested(body, fresh, mentions))
        case PrimCall(primitive, (key, Const(List(items, None)))) if _is_membership(primitive):
            found = [Const(item, test.span) for item in items]
            if found and len(found) <= _MOST_COMPARED and all(map(_is_one_word, found)):
                if isinstance(key, Local):
                    mentions[key.name] += len(found) - 1
                    return _compared(key, found, test.span)
                local = Local(fresh("key", "1"), key.span)
                return Let(local.name, key, _compared(local, found, test.span), test.span)
    return test


def _is_membership(primitive: Primitive) -> bool:
    """Whether it searches a list for what equals its first argument."""
    return primitive.name in _MEMBERSHIPS and primitive.origin is Origin.RUNTIME


def _compared(key: Local, items: Sequence[Core], span: Span) -> Core:
    """Whether a variable has the value of one of some constants."""
    tests = [PrimCall(TABLE["%same?"], (key, item), span) for item in items]
    result: Core = tests[-1]
    for test in reversed(tests[:-1]):
        result = If(test, Const(Boolean(True, span), span), result, span)
    return result


def _is_one_word(value: Core) -> bool:
    """Whether it is a constant that nothing but the same word is equal to."""
    match value:
        case Const(Boolean() | Character() | Symbol()):
            return True
        case Const(Number(int() as number)):
            return abs(number) < _LARGEST_WORD
        case Const(List(items, None)):
            return not items
    return False


def outcome(test: Core) -> bool | None:
    """Whether a test succeeds, if that is certain."""
    match test:
        case Const(Boolean(value)):
            return value
        case Const() | Lambda() | PrimRef():
            return True
    return None


def _value(call: PrimCall) -> Datum | None:
    name, span = call.primitive.name, call.span
    match call.arguments:
        case (Const(value),) if name == "%absent?":
            return Boolean(value is Special.ABSENT, span)
        case (Const(value),) if name in _TYPES and isinstance(value, _SIMPLE):
            return Boolean(_TYPES[name](value), span)
        case (Lambda() | PrimRef(),) if name == "procedure?":
            return Boolean(True, span)
        case (Const(Number(left)), Const(Number(right))):
            return _computed(name, left, right, span)
    return None


def _computed(name: str, left: Any, right: Any, span: Span) -> Datum | None:
    """The result of a primitive on two numbers of one type."""
    if type(left) is not type(right) or not isinstance(left, int | float):
        return None
    if name in _COMPARISONS:
        return Boolean(_COMPARISONS[name](left, right), span)
    if name in _ARITHMETIC and max(abs(left), abs(right)) < _LARGEST:
        return Number(_ARITHMETIC[name](left, right), span)
    return None
