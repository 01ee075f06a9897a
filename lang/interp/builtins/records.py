"""Records and multiple values."""

from collections.abc import Callable
from typing import NoReturn

from lambent.lang.errors import LispError
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values.values import (
    FALSE,
    UNSPECIFIED,
    Boolean,
    Lisp,
    Record,
    RecordType,
    String,
    Symbol,
    Values,
    boolean,
    list_of,
)

# Multiple values.


def values(*items: Lisp) -> Lisp:
    return items[0] if len(items) == 1 else Values(items)


def _count(received: Lisp) -> int:
    return len(received.items) if received.__class__ is Values else 1


def check_values(who: String, received: Lisp, least: int, most: Lisp) -> Lisp:
    """Refuse a wrong number of values; most is #f if there is no upper bound."""
    count = _count(received)
    if count < least or (most is not FALSE and count > most):
        expected = f"{'at least ' if most is FALSE else ''}{least}"
        plural = "" if least == 1 else "s"
        raise LispError(f"{who.text}: expected {expected} value{plural}, got {count}")
    return UNSPECIFIED


def values_ref(received: Lisp, k: int) -> Lisp:
    return received.items[k] if received.__class__ is Values else received


def values_tail(received: Lisp, k: int) -> Lisp:
    items = received.items if received.__class__ is Values else (received,)
    return list_of(items[k:])


def no_clause(who: String, count: int, expected: String, usage: String) -> NoReturn:
    raise LispError(
        f"{who.text}: expected {expected.text}, got {count}", hint=f"usage: {usage.text}"
    )


# Records.


def record_type(name: Symbol, fields: Lisp) -> RecordType:
    items = [] if fields is FALSE else fields.items
    names = tuple(field.name for field in items if field is not FALSE)
    slots = tuple(f"f{i}" for i in range(len(items) or 1))
    scope = {"__slots__": slots, "__init__": _initializer(slots)}
    shown = None if fields is FALSE else names
    made = RecordType(name.name, shown, type("Record", (Record,), scope))
    made.record_class.type_ = made
    return made


def _initializer(slots: tuple[str, ...]) -> Callable[..., None]:
    """The `__init__` of a class of records; parameters are optional for a record without fields."""
    scope: dict[str, Callable[..., None]] = {}
    parameters = ", ".join(f"{slot}=None" for slot in slots)
    body = "; ".join(f"self.{slot} = {slot}" for slot in slots)
    exec(f"def __init__(self, {parameters}): {body}", scope)
    return scope["__init__"]


def record(type_: RecordType, *fields: Lisp) -> Lisp:
    return type_.record_class(*fields)


def is_record(x: Lisp, type_: RecordType) -> Boolean:
    return boolean(x.__class__ is type_.record_class)


def record_ref(x: Lisp, type_: RecordType, k: int, who: String) -> Lisp:
    if x.__class__ is not type_.record_class:
        _refuse(x, type_, who)
    return getattr(x, f"f{k}")


def record_set(x: Lisp, type_: RecordType, k: int, value: Lisp, who: String) -> Lisp:
    if x.__class__ is not type_.record_class:
        _refuse(x, type_, who)
    setattr(x, f"f{k}", value)
    return UNSPECIFIED


def _refuse(x: Lisp, type_: RecordType, who: String) -> NoReturn:
    name = type_.name
    article = "an" if name[:1].lower() in tuple("aeiou") else "a"
    wrong_type(who.text, f"{article} {name}", x)
