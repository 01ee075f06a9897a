"""Records and multiple values."""

from collections.abc import Callable
from typing import Any, NoReturn

from lambent.lang.errors import LispError
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.native import structure
from lambent.lang.interp.values.module_calls import module_call
from lambent.lang.interp.values.values import (
    FALSE,
    UNSPECIFIED,
    Boolean,
    Lisp,
    Procedure,
    Record,
    RecordType,
    String,
    Symbol,
    Values,
    Vector,
    boolean,
    items_of,
    list_of,
    symbol,
)

# Multiple values.


def values(*items: Lisp) -> Lisp:
    return items[0] if len(items) == 1 else Values(items)


def _count(received: Lisp) -> int:
    return len(received.items) if received.__class__ is Values else 1


def check_values(who: String, received: Lisp, least: int, most: Lisp) -> Lisp:
    """Refuse a wrong number of values; most is #f if there is no upper bound."""
    return _check_number(who, "", "value", _count(received), least, most)


def check_list(who: String, received: Lisp, least: int, most: Lisp) -> Lisp:
    """Refuse what is not a list of the expected length; most is #f if there is no upper bound."""
    items = items_of(received)
    if items is None:
        wrong_type(who.text, "a list", received)
    return _check_number(who, "a list of ", "element", len(items), least, most)


def _check_number(
    who: String, whole: str, noun: str, count: int, least: int, most: Lisp
) -> Lisp:
    """`let-values: expected at least 2 values, got 1`, unless the count is right."""
    if count < least or (most is not FALSE and count > most):
        expected = f"{'at least ' if most is FALSE else ''}{least}"
        plural = "" if least == 1 else "s"
        raise LispError(f"{who.text}: expected {whole}{expected} {noun}{plural}, got {count}")
    return UNSPECIFIED


def values_ref(received: Lisp, k: int) -> Lisp:
    return received.items[k] if received.__class__ is Values else received


def first_of_two(received: Lisp) -> Lisp:
    assert received.__class__ is Values, received
    return received.items[0]


def second_of_two(received: Lisp) -> Lisp:
    assert received.__class__ is Values, received
    return received.items[1]


def values_tail(received: Lisp, k: int) -> Lisp:
    items = received.items if received.__class__ is Values else (received,)
    return list_of(items[k:])


def no_clause(who: String, count: int, expected: String, usage: String) -> NoReturn:
    raise LispError(
        f"{who.text}: expected {expected.text}, got {count}", hint=f"usage: {usage.text}"
    )


# Records.


def record_type(name: Symbol, fields: Lisp) -> RecordType:
    return _new_type(name, fields, Record)


def _new_type(name: Symbol, fields: Lisp, base: type[Record]) -> RecordType:
    items = [] if fields is FALSE else fields.items
    names = tuple(field.name for field in items if field is not FALSE)
    slots = tuple(f"f{i}" for i in range(len(items) or 1))
    scope = {"__slots__": slots, "__init__": _initializer(slots)}
    shown = None if fields is FALSE else names
    record_type = RecordType(name.name, shown, structure(type("Record", (base,), scope)))
    record_type.record_class.type_ = record_type
    return record_type


def _initializer(slots: tuple[str, ...]) -> Callable[..., None]:
    """The `__init__` of a class of records; parameters are optional for a record without fields."""
    scope: dict[str, Callable[..., None]] = {}
    parameters = ", ".join(f"{slot}=None" for slot in slots)
    body = "; ".join(f"self.{slot} = {slot}" for slot in slots)
    exec(f"def __init__(self, {parameters}): {body}", scope)
    return scope["__init__"]


def record_subtype(name: Symbol, fields: Lisp, parent: Lisp, call: Lisp) -> RecordType:
    names = tuple(field.name for field in fields.items)
    inherited = parent.fields if parent.__class__ is RecordType else None
    if inherited is None or names[: len(inherited)] != inherited:
        raise LispError(
            "define-record-type: the parent is not the record type that the program defines under "
            "its name"
        )
    type_ = _new_type(name, fields, parent.record_class)
    if call is FALSE:
        type_.call = parent.call
    else:
        _make_applicable(type_, name, call)
    return type_


def record(type_: RecordType, *fields: Lisp) -> Lisp:
    return type_.record_class(*fields)


def applicable_type(name: Symbol, fields: Lisp, call: Lisp, roles: Lisp) -> RecordType:
    type_ = record_type(name, fields)
    type_.roles = roles if roles.__class__ is Vector else None
    _make_applicable(type_, name, call)
    return type_


def _make_applicable(type_: RecordType, name: Symbol, call: Lisp) -> None:
    if call.__class__ is not Procedure:
        wrong_type(name.name, "a procedure after :call", call)
    type_.call = call
    record_class: Any = type_.record_class
    record_class.__call__ = call if type_.roles is None else module_call(call)


def is_record(x: Lisp, type_: RecordType) -> Boolean:
    return boolean(isinstance(x, type_.record_class))


def record_ref(x: Lisp, type_: RecordType, k: int, who: String) -> Lisp:
    if not isinstance(x, type_.record_class):
        _refuse(x, type_, who)
    return getattr(x, f"f{k}")


def record_set(x: Lisp, type_: RecordType, k: int, value: Lisp, who: String) -> Lisp:
    if not isinstance(x, type_.record_class):
        _refuse(x, type_, who)
    setattr(x, f"f{k}", value)
    return UNSPECIFIED


def record_copy(x: Lisp, type_: RecordType, who: String) -> Lisp:
    if not isinstance(x, type_.record_class):
        _refuse(x, type_, who)
    return x.__class__(*[getattr(x, f"f{k}") for k in range(_slot_count(x))])


# What programs may ask of any record.


def is_any_record(x: Lisp) -> Boolean:
    return boolean(isinstance(x, Record))


def _type_of(who: str, x: Lisp) -> RecordType:
    if not isinstance(x, Record):
        wrong_type(who, "a record", x)
    return x.type_


def type_of_record(x: Lisp) -> Lisp:
    return _type_of("record-type", x)


def _record_type(who: str, x: Lisp) -> RecordType:
    if x.__class__ is not RecordType:
        wrong_type(who, "a record type", x)
    return x


def name_of_record_type(x: Lisp) -> Lisp:
    return symbol(_record_type("record-type-name", x).name)


def fields_of_record_type(x: Lisp) -> Lisp:
    type_ = _record_type("record-type-fields", x)
    return list_of([symbol(name) for name in type_.fields or ()])


def fields_of_record(x: Lisp) -> Lisp:
    named = _type_of("record-fields", x).fields or ()
    return list_of([getattr(x, f"f{k}") for k in range(len(named))])


def roles_of_record(x: Lisp) -> Lisp:
    roles = x.type_.roles if isinstance(x, Record) else None
    return FALSE if roles is None else roles


def record_slot(x: Lisp, k: int) -> Lisp:
    _check_slot("record-ref", x, k)
    return getattr(x, f"f{k}")


def set_record_slot(x: Lisp, k: int, value: Lisp) -> Lisp:
    _check_slot("record-set!", x, k)
    setattr(x, f"f{k}", value)
    return UNSPECIFIED


def _slot_count(x: Record) -> int:
    return len(x.type_.record_class.__slots__)


def _check_slot(who: str, x: Lisp, k: int) -> None:
    _type_of(who, x)
    if k >= (count := _slot_count(x)):
        raise LispError(f"{who}: index {k} is out of range for length {count}")


def _refuse(x: Lisp, type_: RecordType, who: String) -> NoReturn:
    name = type_.name
    article = "an" if name[:1].lower() in tuple("aeiou") else "a"
    wrong_type(who.text, f"{article} {name}", x)
