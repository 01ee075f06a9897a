"""What `display` and `write` print.

The rules of `write` are those of the reader's side, `lang/syntax/text.py`; executables have them in
`runtime/print.c`.

    written(Pair(String("a"), NIL))  =>  '("a")'      displayed(...)  =>  '(a)'
"""

from collections.abc import Callable
from contextlib import suppress

from lambent.lang.interp.values import (
    NIL,
    Boolean,
    Char,
    Keyword,
    Lisp,
    Pair,
    Port,
    Procedure,
    Singleton,
    String,
    Symbol,
    Tensor,
    Vector,
)

_ABBREVIATIONS = {"quote": "'", "quasiquote": "`", "unquote": ",", "unquote-splicing": ",@"}


def displayed(value: Lisp) -> str:
    """The value as people read it."""
    if value.__class__ is String:
        return value.text
    parts: list[str] = []
    _show(value, parts, False)
    return "".join(parts)


def written(value: Lisp) -> str:
    """The value so that it reads back."""
    parts: list[str] = []
    _show(value, parts, True)
    return "".join(parts)


def written_part(value: Lisp, most: int) -> str:
    """The beginning of what `written` gives, at least most characters if it has them.

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


# Recursion follows nesting, never the length of a list.
def _show(value: Lisp, parts: list[str], write: bool) -> None:
    printer = _PRINTERS.get(value.__class__)
    if printer:
        printer(value, parts, write)
    elif isinstance(value, Tensor):
        from lambent.lang.interp.builtins import tensors

        parts.append(tensors.tensor_text(value, write))
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


def _pair(value: Pair, parts: list[str], write: bool) -> None:
    head, rest = value.car, value.cdr
    if (
        head.__class__ is Symbol
        and head.name in _ABBREVIATIONS
        and rest.__class__ is Pair
        and rest.cdr is NIL
    ):
        _abbreviated(_ABBREVIATIONS[head.name], rest.car, parts, write)
        return
    parts.append("(")
    _show(head, parts, write)
    while rest.__class__ is Pair:
        parts.append(" ")
        _show(rest.car, parts, write)
        rest = rest.cdr
    if rest is not NIL:
        parts.append(" . ")
        _show(rest, parts, write)
    parts.append(")")


def _abbreviated(mark: str, quoted: Lisp, parts: list[str], write: bool) -> None:
    """`'x`; and `, @x`, which is not `,@x`."""
    parts.append(mark)
    start = len(parts)
    _show(quoted, parts, write)
    if parts[start].startswith("@"):
        parts[start] = " " + parts[start]


def _vector(value: Vector, parts: list[str], write: bool) -> None:
    parts.append("#(")
    for i, item in enumerate(value.items):
        if i:
            parts.append(" ")
        _show(item, parts, write)
    parts.append(")")


def _port(value: Port, parts: list[str], write: bool) -> None:
    parts.append("#<port>")


def _procedure(value: Callable[..., Lisp], parts: list[str], write: bool) -> None:
    from lambent.lang.interp.facts import facts_of

    name = facts_of(value).name
    parts.append(f"#<procedure {name}>" if name else "#<procedure>")


_PRINTERS: dict[type, Callable[..., None]] = {
    int: _integer,
    String: _string,
    Symbol: _symbol,
    Pair: _pair,
    Boolean: _named,
    Singleton: _named,
    Keyword: _keyword,
    Char: _char,
    Vector: _vector,
    Port: _port,
    Procedure: _procedure,
}
