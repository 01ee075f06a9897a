"""What `display` and `write` print.

`write` follows the same rules as the reader, which are in `lang/syntax/text.py`.
`runtime/ports/print.c` is the counterpart.

    written(Pair(String("a"), NIL))  =>  '("a")'      displayed(...)  =>  '(a)'
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from lambent.lang.interp.values.values import (
    NIL,
    Boolean,
    Bytes,
    Char,
    Condition,
    Environment,
    Foreign,
    HashTable,
    Keyword,
    Lisp,
    Pair,
    Port,
    Procedure,
    Record,
    RecordType,
    Singleton,
    String,
    Symbol,
    Tensor,
    Values,
    Vector,
)

if TYPE_CHECKING:
    from lambent.lang.interp.io.labels import Labels

_ABBREVIATIONS = {"quote": "'", "quasiquote": "`", "unquote": ",", "unquote-splicing": ",@"}
_SHOWN_ENTRIES = 20  # of a hash table
_NESTED_CONDITIONS = 2  # printed with their irritants, which may contain the condition itself
_SMALL = 100  # a value with at most so many elements needs no search for cycles


def displayed(value: Lisp) -> str:
    """The value as `display` prints it."""
    if value.__class__ is String:
        return value.text
    return _shown(value, False, False)


def written(value: Lisp) -> str:
    """The value as `write` prints it, so that it reads back; cycles have labels."""
    return _shown(value, True, False)


def written_shared(value: Lisp) -> str:
    """The same, with labels for all objects that the value contains more than once."""
    return _shown(value, True, True)


def written_simple(value: Lisp) -> str:
    """The same without labels; it does not end for a circular value."""
    texts: list[str] = []
    _show(value, texts, True)
    return "".join(texts)


def written_prefix(value: Lisp, most: int) -> str:
    """The beginning of what `written_simple` returns: at least most characters, if it has them.

    The value may be circular: what is not shown is not visited.
    """
    texts = _Limited(most)
    with suppress(_FullError):
        _show(value, texts, True)
    return "".join(texts)


class _FullError(Exception):
    pass


class _Limited(list[str]):
    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    def append(self, text: str) -> None:
        super().append(text)
        self._room -= len(text)
        if self._room < 0:
            raise _FullError


def _shown(value: Lisp, write: bool, shared: bool) -> str:
    texts: list[str] = []
    if not is_compound(value):
        _atom(value, texts, write)
        return "".join(texts)
    labels = None
    if shared or not _is_small(value):
        from lambent.lang.interp.io.labels import find_labels

        labels = find_labels(value, shared)
    _show(value, texts, write, labels)
    return "".join(texts)


def _is_small(value: Lisp) -> bool:
    """Whether a value has few elements in all; then it has no cycles."""
    waiting = [value]
    for _ in range(_SMALL):
        if not waiting:
            return True
        value = waiting.pop()
        if value.__class__ is Pair:
            waiting += [element for element in (value.car, value.cdr) if is_compound(element)]
        else:
            waiting += filter(is_compound, pieces_of(value))
    return not waiting


# Compound values.  Nesting takes no stack: a list holds what is still to be printed, which is text,
# values, and tails of lists in tuples.


def _show(value: Lisp, texts: list[str], write: bool, labels: "Labels | None" = None) -> None:
    waiting: list[Any] = [value]
    while waiting:
        value = waiting.pop()
        kind = value.__class__
        if kind is str:
            texts.append(value)
        elif kind is tuple:
            _list_rest(value[0], texts, write, labels, waiting)
        elif kind in _PRINTERS or not is_compound(value):
            _atom(value, texts, write)
        elif labels is None or labels.print(value, texts):
            if kind is Pair:
                _list(value, texts, write, labels, waiting)
            else:
                waiting += reversed(pieces_of(value))


def _list(
    value: Pair, texts: list[str], write: bool, labels: "Labels | None", waiting: list[Any]
) -> None:
    head, rest = value.car, value.cdr
    if (
        head.__class__ is Symbol
        and head.name in _ABBREVIATIONS
        and rest.__class__ is Pair
        and rest.cdr is NIL
        and (labels is None or id(rest) not in labels.labelled)
    ):
        texts.append(_ABBREVIATIONS[head.name])
        if _begins_with_at(rest.car, write):
            texts.append(" ")
        waiting.append(rest.car)
        return
    texts.append("(")
    if is_compound(head):
        waiting.append((rest,))
        waiting.append(head)
    else:
        _atom(head, texts, write)
        _list_rest(rest, texts, write, labels, waiting)


def _list_rest(
    rest: Lisp, texts: list[str], write: bool, labels: "Labels | None", waiting: list[Any]
) -> None:
    """Print what follows an element of a list, up to the next compound element."""
    while rest.__class__ is Pair and (labels is None or id(rest) not in labels.labelled):
        texts.append(" ")
        item, rest = rest.car, rest.cdr
        if item.__class__ not in _PRINTERS and is_compound(item):
            waiting.append((rest,))
            waiting.append(item)
            return
        _atom(item, texts, write)
    if rest is not NIL:
        texts.append(" . ")
        if is_compound(rest):
            waiting.append(")")
            waiting.append(rest)
            return
        _atom(rest, texts, write)
    texts.append(")")


def _begins_with_at(value: Lisp, write: bool) -> bool:
    """Whether the text of a value begins with @: `, @x` is not `,@x`."""
    if value.__class__ not in (Symbol, String, Char):
        return False
    texts: list[str] = []
    _atom(value, texts, write)
    return texts[0].startswith("@")


def is_compound(value: Lisp) -> bool:
    """Whether a value contains other values that are printed with it."""
    kind = value.__class__
    if kind in _COMPOUND:
        return True
    return kind not in _PRINTERS and isinstance(value, Record) and value.type_.roles is None


def pieces_of(value: Lisp) -> list[Any]:
    """What is printed for a compound value: texts, and its elements."""
    pieces: Callable[..., list[Any]] = _COMPOUND.get(value.__class__, _record_pieces)
    return pieces(value)


def _vector_pieces(value: Vector) -> list[Any]:
    pieces: list[Any] = [" "] * (2 * len(value.items) + 1)
    pieces[1::2] = value.items
    pieces[0] = "#("
    pieces[-1] = ")" if value.items else "#()"
    return pieces


def _values_pieces(value: Values) -> list[Any]:
    pieces: list[Any] = ["#<values"]
    for item in value.items:
        pieces += [" ", item]
    return [*pieces, ">"]


def _record_pieces(record: Any) -> list[Any]:
    type_: RecordType = record.type_
    shown: list[Any] = [f"#<{type_.name}"]
    for i, name in enumerate(type_.fields or ()):
        shown += [f" {name}: ", getattr(record, f"f{i}")]
    return [*shown, ">"]


def _table_pieces(value: HashTable) -> list[Any]:
    """`#<hash-table a: 1 b: 2 ... 5 more>`"""
    pieces: list[Any] = ["#<hash-table"]
    for key, item in islice(value.entries.values(), _SHOWN_ENTRIES):
        pieces += [" ", key, ": ", item]
    left = len(value.entries) - _SHOWN_ENTRIES
    return [*pieces, f" ... {left} more>" if left > 0 else ">"]


def _pair_pieces(value: Pair) -> list[Any]:
    raise AssertionError("lists are printed by `_list`")


# Atoms.


_SHORT_INTEGER = 10_000  # bits: Python's own conversion takes quadratic time


def _atom(value: Lisp, texts: list[str], write: bool) -> None:
    printer = _PRINTERS.get(value.__class__)
    if printer:
        printer(value, texts, write)
    elif isinstance(value, Tensor):
        from lambent.lang.interp.builtins import tensors

        texts.append(tensors.tensor_text(value, write))
    elif isinstance(value, Record):
        from lambent.lang.interp.io.module_text import module_text

        texts.append(module_text(value))
    elif isinstance(value, Foreign):
        texts.append(repr(value))
    else:
        from lambent.lang.syntax.numerals import format_number

        texts.append(format_number(value))


def _integer(value: int, texts: list[str], write: bool) -> None:
    if value.bit_length() <= _SHORT_INTEGER:
        texts.append(str(value))
    else:
        from lambent.lang.syntax.numerals import format_number

        texts.append(format_number(value))


def _named(value: Boolean | Singleton, texts: list[str], write: bool) -> None:
    texts.append(value.name)


def _keyword(value: Keyword, texts: list[str], write: bool) -> None:
    texts.append(f":{value.name}")


def _symbol(value: Symbol, texts: list[str], write: bool) -> None:
    if write:
        from lambent.lang.syntax.text import symbol_text

        texts.append(symbol_text(value.name))
    else:
        texts.append(value.name)


def _string(value: String, texts: list[str], write: bool) -> None:
    if write:
        from lambent.lang.syntax.text import string_text

        texts.append(string_text(value.text))
    else:
        texts.append(value.text)


def _char(value: Char, texts: list[str], write: bool) -> None:
    if write:
        from lambent.lang.syntax.text import character_text

        texts.append(character_text(value.char))
    else:
        texts.append(value.char)


def _record_type(value: RecordType, texts: list[str], write: bool) -> None:
    texts.append(f"#<record-type {value.name}>")


def _bytes(value: Bytes, texts: list[str], write: bool) -> None:
    texts.append(f"#u8({' '.join(map(str, value.data))})")


def _port(value: Port, texts: list[str], write: bool) -> None:
    texts.append("#<port>")


def _environment(value: Environment, texts: list[str], write: bool) -> None:
    texts.append("#<environment>")


def _condition(value: Condition, texts: list[str], write: bool) -> None:
    texts.append(f"#<error {condition_text(value)}>")


_conditions = 0  # how many are being printed, each within the one before


def condition_text(condition: Condition) -> str:
    """The message of an error object with its irritants, as for an uncaught error."""
    global _conditions
    message, rest = condition.message, condition.irritants
    is_text = message.__class__ is String
    if _conditions == _NESTED_CONDITIONS:
        shown = [message.text] if is_text else []
        return " ".join([*shown, "..."] if not is_text or rest.__class__ is Pair else shown)
    _conditions += 1
    try:
        texts = [message.text if is_text else written(message)]
        while rest.__class__ is Pair:
            texts.append(written(rest.car))
            rest = rest.cdr
        return " ".join(texts)
    finally:
        _conditions -= 1


def _procedure(value: Callable[..., Lisp], texts: list[str], write: bool) -> None:
    from lambent.lang.interp.values.procedure_facts import facts_of

    name = facts_of(value).name
    texts.append(f"#<procedure {name}>" if name else "#<procedure>")


_PRINTERS: dict[type, Callable[..., None]] = {
    int: _integer,
    String: _string,
    Symbol: _symbol,
    Boolean: _named,
    Singleton: _named,
    Keyword: _keyword,
    Char: _char,
    Bytes: _bytes,
    Port: _port,
    Environment: _environment,
    RecordType: _record_type,
    Condition: _condition,
    Procedure: _procedure,
}

# How compound values are printed: each function returns the pieces, as `pieces_of` says.  Records
# are not in it: programs define their classes.
_COMPOUND: dict[type, Callable[..., list[Any]]] = {
    Pair: _pair_pieces,
    Vector: _vector_pieces,
    Values: _values_pieces,
    HashTable: _table_pieces,
}
