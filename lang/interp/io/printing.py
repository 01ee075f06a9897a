"""What `display` and `write` print.

The rules of `write` are those of the reader's side, `lang/syntax/text.py`; executables have them in
`runtime/ports/print.c`.

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
_NESTED_CONDITIONS = 2  # printed with their irritants, among which they may be themselves
_SMALL = 100  # so many parts are counted before a value is searched for circles


def displayed(value: Lisp) -> str:
    """The value as people read it."""
    if value.__class__ is String:
        return value.text
    return _shown(value, False, False)


def written(value: Lisp) -> str:
    """The value so that it reads back; labels close its circles."""
    return _shown(value, True, False)


def written_shared(value: Lisp) -> str:
    """The same, with labels for all that is in the value more than once."""
    return _shown(value, True, True)


def written_simple(value: Lisp) -> str:
    """The same without labels; a circular value has no end."""
    parts: list[str] = []
    _show(value, parts, True)
    return "".join(parts)


def written_prefix(value: Lisp, most: int) -> str:
    """The beginning of what `written_simple` gives, at least most characters if it has them.

    Also of a circular value: what is not shown is not visited.
    """
    parts = _Limited(most)
    with suppress(_FullError):
        _show(value, parts, True)
    return "".join(parts)


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
    parts: list[str] = []
    if not is_compound(value):
        _atom(value, parts, write)
        return "".join(parts)
    labels = None
    if shared or not _is_small(value):
        from lambent.lang.interp.io.labels import find_labels

        labels = find_labels(value, shared)
    _show(value, parts, write, labels)
    return "".join(parts)


def _is_small(value: Lisp) -> bool:
    """Whether a value has few parts: then it has no circles."""
    waiting = [value]
    for _ in range(_SMALL):
        if not waiting:
            return True
        value = waiting.pop()
        if value.__class__ is Pair:
            waiting += [part for part in (value.car, value.cdr) if is_compound(part)]
        else:
            waiting += filter(is_compound, pieces_of(value))
    return not waiting


# Values that have parts.  Nesting takes no stack: what is still to be printed waits in a list, text
# as it is, values, and rests of lists in tuples.


def _show(value: Lisp, parts: list[str], write: bool, labels: "Labels | None" = None) -> None:
    waiting: list[Any] = [value]
    while waiting:
        value = waiting.pop()
        kind = value.__class__
        if kind is str:
            parts.append(value)
        elif kind is tuple:
            _list_rest(value[0], parts, write, labels, waiting)
        elif kind in _PRINTERS or not is_compound(value):
            _atom(value, parts, write)
        elif labels is None or labels.print(value, parts):
            if kind is Pair:
                _list(value, parts, write, labels, waiting)
            else:
                waiting += reversed(pieces_of(value))


def _list(
    value: Pair, parts: list[str], write: bool, labels: "Labels | None", waiting: list[Any]
) -> None:
    head, rest = value.car, value.cdr
    if (
        head.__class__ is Symbol
        and head.name in _ABBREVIATIONS
        and rest.__class__ is Pair
        and rest.cdr is NIL
        and (labels is None or id(rest) not in labels.wanted)
    ):
        parts.append(_ABBREVIATIONS[head.name])
        if _begins_with_at(rest.car, write):
            parts.append(" ")
        waiting.append(rest.car)
        return
    parts.append("(")
    if is_compound(head):
        waiting.append((rest,))
        waiting.append(head)
    else:
        _atom(head, parts, write)
        _list_rest(rest, parts, write, labels, waiting)


def _list_rest(
    rest: Lisp, parts: list[str], write: bool, labels: "Labels | None", waiting: list[Any]
) -> None:
    """What follows an element of a list, up to the next element that has parts."""
    while rest.__class__ is Pair and (labels is None or id(rest) not in labels.wanted):
        parts.append(" ")
        item, rest = rest.car, rest.cdr
        if item.__class__ not in _PRINTERS and is_compound(item):
            waiting.append((rest,))
            waiting.append(item)
            return
        _atom(item, parts, write)
    if rest is not NIL:
        parts.append(" . ")
        if is_compound(rest):
            waiting.append(")")
            waiting.append(rest)
            return
        _atom(rest, parts, write)
    parts.append(")")


def _begins_with_at(value: Lisp, write: bool) -> bool:
    """Whether a value's text begins with @: `, @x` is not `,@x`."""
    if value.__class__ not in (Symbol, String, Char):
        return False
    parts: list[str] = []
    _atom(value, parts, write)
    return parts[0].startswith("@")


def is_compound(value: Lisp) -> bool:
    """Whether other values are printed where this one is."""
    kind = value.__class__
    return kind in _COMPOUND or (kind not in _PRINTERS and isinstance(value, Record))


def pieces_of(value: Lisp) -> list[Any]:
    """What is printed for a value that has parts: text, and the parts."""
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
    raise AssertionError("lists are walked where they are met")


# Values that have no parts.


def _atom(value: Lisp, parts: list[str], write: bool) -> None:
    printer = _PRINTERS.get(value.__class__)
    if printer:
        printer(value, parts, write)
    elif isinstance(value, Tensor):
        from lambent.lang.interp.builtins import tensors

        parts.append(tensors.tensor_text(value, write))
    elif isinstance(value, Foreign):
        parts.append(repr(value))
    else:
        from lambent.lang.syntax.numerals import format_number

        parts.append(format_number(value))


def _integer(value: int, parts: list[str], write: bool) -> None:
    try:
        parts.append(str(value))
    except ValueError:  # more digits than Python writes before it is told to
        from lambent.lang.syntax.numerals import format_number

        parts.append(format_number(value))


def _named(value: Boolean | Singleton, parts: list[str], write: bool) -> None:
    parts.append(value.name)


def _keyword(value: Keyword, parts: list[str], write: bool) -> None:
    parts.append(f":{value.name}")


def _symbol(value: Symbol, parts: list[str], write: bool) -> None:
    if write:
        from lambent.lang.syntax.text import symbol_text

        parts.append(symbol_text(value.name))
    else:
        parts.append(value.name)


def _string(value: String, parts: list[str], write: bool) -> None:
    if write:
        from lambent.lang.syntax.text import string_text

        parts.append(string_text(value.text))
    else:
        parts.append(value.text)


def _char(value: Char, parts: list[str], write: bool) -> None:
    if write:
        from lambent.lang.syntax.text import character_text

        parts.append(character_text(value.char))
    else:
        parts.append(value.char)


def _record_type(value: RecordType, parts: list[str], write: bool) -> None:
    parts.append(f"#<record-type {value.name}>")


def _bytes(value: Bytes, parts: list[str], write: bool) -> None:
    parts.append(f"#u8({' '.join(map(str, value.data))})")


def _port(value: Port, parts: list[str], write: bool) -> None:
    parts.append("#<port>")


def _environment(value: Environment, parts: list[str], write: bool) -> None:
    parts.append("#<environment>")


def _condition(value: Condition, parts: list[str], write: bool) -> None:
    parts.append(f"#<error {condition_text(value)}>")


_conditions = 0  # that are being printed


def condition_text(condition: Condition) -> str:
    """What is said of an error object that nobody catches."""
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


def _procedure(value: Callable[..., Lisp], parts: list[str], write: bool) -> None:
    from lambent.lang.interp.values.procedure_facts import facts_of

    name = facts_of(value).name
    parts.append(f"#<procedure {name}>" if name else "#<procedure>")


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

# How values that have parts are printed: each function gives the pieces, as `pieces_of` says.
# Records are not among them, for their types come and go.
_COMPOUND: dict[type, Callable[..., list[Any]]] = {
    Pair: _pair_pieces,
    Vector: _vector_pieces,
    Values: _values_pieces,
    HashTable: _table_pieces,
}
