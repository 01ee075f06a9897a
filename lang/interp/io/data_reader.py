"""`read`: the next datum of a port.

It has the syntax and the error messages of the reader of programs, `lang/syntax/reader.py`, but it
takes no more text than it needs, and loads nothing heavy.  This module reads the structure and the
labels; `data_tokens.py` reads the tokens.  `runtime/ports/read.c` is the counterpart of both.

    (a . #;b 'c)  =>  open data LIST, then LIST SKIP, then LIST PREFIX;  (a quote c)
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NoReturn

from lambent.lang.interp.io.data_tokens import (
    Position,
    char_at,
    fail,
    read_character,
    read_delimited,
    read_label,
    read_word,
    skip_blanks,
    skip_nested_comment,
    word_at,
)
from lambent.lang.interp.io.input_streams import TextInput
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.values.values import (
    EOF,
    NIL,
    NUMBERS,
    Boolean,
    Bytes,
    Lisp,
    Pair,
    Vector,
    symbol,
)
from lambent.lang.syntax.text import NAME_OF_PREFIX

_DIRECTIVES = {"#!fold-case": True, "#!no-fold-case": False}
_GREATEST_BYTE = 255
_MOST_DIMENSIONS = 64  # of a tensor


class _Kind(Enum):
    LIST = auto()
    VECTOR = auto()
    BYTES = auto()
    TENSOR = auto()
    PREFIX = auto()
    SKIP = auto()
    LABEL = auto()


_WANT_DATUM = (_Kind.PREFIX, _Kind.SKIP, _Kind.LABEL)


class _OpenDatum:
    """A datum that is being read.  dots: for each dot, the number of items before it, its position.

    label: the number of the datum's label; None if it is skipped.
    """

    __slots__ = ("dots", "items", "kind", "label", "opening", "position")

    def __init__(
        self, kind: _Kind, position: Position, opening: str, label: int | None = None
    ) -> None:
        self.kind = kind
        self.position = position
        self.opening = opening
        self.label = label
        self.items: list[Lisp] = []
        self.dots: list[tuple[int, Position]] = []


class _Placeholder:
    """Stands for a label's datum while that is read; value is the datum afterwards."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: Lisp = None


def read_datum(stream: TextInput) -> Lisp:
    """The next datum, or the end-of-file object."""
    return _DataReader(stream).read()


def read_text(text: str) -> Lisp:
    """The datum that a text writes."""
    return read_datum(TextInput(None, text))


class _DataReader:
    def __init__(self, stream: TextInput) -> None:
        self._stream = stream
        self._open_data: list[_OpenDatum] = []
        self._labels: dict[int, Lisp] = {}
        self._patches: list[Callable[[], None]] = []
        self._skipping = 0  # how many open data are of kind SKIP: labels in them are ignored
        self._result: Lisp = None  # until it is complete

    def read(self) -> Lisp:
        while self._result is None:
            first = skip_blanks(self._stream)
            if first:
                self._read_token(first)
            elif self._open_data:
                self._fail_at_end()
            else:
                return EOF
        for patch in self._patches:
            patch()
        return self._result

    # Errors.

    def _fail_nothing_follows(self, opened: _OpenDatum) -> NoReturn:
        fail(opened.position, f"nothing follows {opened.opening}")

    def _fail_at_end(self) -> NoReturn:
        opened = self._open_data[-1]
        if opened.kind in _WANT_DATUM:
            self._fail_nothing_follows(opened)
        fail(opened.position, f"unclosed {opened.opening}")

    # Tokens.

    def _read_token(self, first: str) -> None:
        position = self._stream.position()
        match first:
            case "(":
                self._open(_Kind.LIST, position, "(")
            case ")" | "]":
                self._stream.at += 1
                self._close(position, first)
            case "[":
                self._open_tensor(position)
            case "'" | "`" | ",":
                prefix = ",@" if first == "," and char_at(self._stream, 1) == "@" else first
                self._open(_Kind.PREFIX, position, prefix)
            case '"' | "|":
                self._deliver(position, read_delimited(self._stream, position, first))
            case "#":
                self._read_hash(position)
            case _:
                self._read_word(position)

    def _open(self, kind: _Kind, position: Position, opening: str) -> None:
        self._stream.at += len(opening)
        self._skipping += kind is _Kind.SKIP
        self._open_data.append(_OpenDatum(kind, position, opening))

    def _open_tensor(self, position: Position) -> None:
        around = self._open_data[-_MOST_DIMENSIONS:]
        if len(around) == _MOST_DIMENSIONS and all(f.kind is _Kind.TENSOR for f in around):
            fail(position, f"a tensor has at most {_MOST_DIMENSIONS} dimensions")
        self._open(_Kind.TENSOR, position, "[")

    def _read_hash(self, position: Position) -> None:
        stream = self._stream
        second = char_at(stream, 1)
        match second:
            case "(":
                self._open(_Kind.VECTOR, position, "#(")
            case ";":
                self._open(_Kind.SKIP, position, "#;")
            case "|":
                skip_nested_comment(stream, position)
            case "\\":
                self._deliver(position, read_character(stream, position))
            case "'" | "`" | ",":
                mark = ",@" if second == "," and char_at(stream, 2) == "@" else second
                self._open(_Kind.PREFIX, position, "#" + mark)
            case "!" if (word := word_at(stream)) in _DIRECTIVES:
                stream.folds_case = _DIRECTIVES[word]
                stream.at += len(word)
            case "u" | "U" if word_at(stream) in ("#u8", "#U8") and char_at(stream, 3) == "(":
                self._open(_Kind.BYTES, position, "#u8(")
            case _ if second.isascii() and second.isdigit() and self._read_label(position):
                return
            case _:
                self._read_word(position)

    def _read_word(self, position: Position) -> None:
        word = word_at(self._stream)
        if word == ".":
            self._stream.at += 1
            self._note_dot(position)
        else:
            self._deliver(position, read_word(self._stream, position, word))

    # Labels.

    def _read_label(self, position: Position) -> bool:
        """Read a label or a reference to one, if there is one here."""
        label = read_label(self._stream)
        if label is None:
            return False
        number, is_label = label
        if self._open_data and self._open_data[-1].kind is _Kind.BYTES:
            fail(position, "not a byte")
        if is_label:
            self._define_label(position, number)
        else:
            self._refer_to_label(position, number)
        return True

    def _define_label(self, position: Position, number: int) -> None:
        label = None if self._skipping else number
        if label in self._labels:
            fail(position, f"datum label #{number}= is given twice")
        if label is not None:
            self._labels[label] = _Placeholder()
        self._open_data.append(_OpenDatum(_Kind.LABEL, position, f"#{number}=", label))

    def _refer_to_label(self, position: Position, number: int) -> None:
        if self._skipping:
            self._deliver(position, _Placeholder())
            return
        if number not in self._labels:
            fail(position, f"unknown datum label: #{number}#")
        self._deliver(position, self._labels[number])

    def _finish_label(self, opened: _OpenDatum, value: Lisp) -> None:
        if opened.label is None:
            return
        placeholder = self._labels[opened.label]
        if value is placeholder:
            fail(opened.position, f"datum label #{opened.label}= labels itself")
        placeholder.value = value
        self._labels[opened.label] = value

    # Structure.

    def _deliver(self, position: Position, value: Lisp) -> None:
        """Complete a datum: it is the result, or an item of the datum around it."""
        open_data = self._open_data
        while open_data and open_data[-1].kind in _WANT_DATUM:
            opened = open_data.pop()
            position = opened.position
            if opened.kind is _Kind.SKIP:
                self._skipping -= 1
                return
            if opened.kind is _Kind.PREFIX:
                name = symbol(NAME_OF_PREFIX[opened.opening])
                value = Pair(name, self._pair(value, NIL))
            else:
                self._finish_label(opened, value)
        if not open_data:
            self._result = value
            return
        self._check_item(open_data[-1].kind, position, value)
        open_data[-1].items.append(value)

    def _check_item(self, around: _Kind, position: Position, value: Lisp) -> None:
        """Refuse items that a bytevector or a tensor cannot contain."""
        if around is _Kind.BYTES:
            fits = value.__class__ is int and 0 <= value <= _GREATEST_BYTE
            words = "not a byte"
        elif around is _Kind.TENSOR:
            fits = value.__class__ in NUMBERS or value.__class__ is Boolean
            words = "not a number or boolean"
        else:
            return
        if not fits:
            is_atom = value.__class__ not in (Pair, Vector, _Placeholder)
            fail(position, f"{words}: {written(value)}" if is_atom else words)

    def _note_dot(self, position: Position) -> None:
        opened = self._open_data[-1] if self._open_data else None
        if not opened or opened.kind is not _Kind.LIST:
            fail(position, "unexpected .")
        opened.dots.append((len(opened.items), position))

    def _close(self, position: Position, closing: str) -> None:
        if not self._open_data:
            fail(position, f"unexpected {closing}")
        opened = self._open_data[-1]
        if opened.kind in _WANT_DATUM:
            self._fail_nothing_follows(opened)
        if closing != ("]" if opened.kind is _Kind.TENSOR else ")"):
            at = f"{opened.position[0]}:{opened.position[1]}"
            fail(position, f"{opened.opening} opened at {at} is closed by {closing}")
        items = opened.items
        if opened.dots:
            before, last = opened.dots[0][0], opened.dots[-1][1]
            if len(opened.dots) > 1 or before == 0 or before != len(items) - 1:
                fail(last, "unexpected .")
        self._open_data.pop()
        datum = self._built(opened)
        if opened.kind is _Kind.TENSOR:
            if self._open_data and self._open_data[-1].kind is _Kind.TENSOR:
                self._open_data[-1].items.append(datum)
                return
            if not self._skipping:
                datum = self._tensor(opened.position, datum)
        self._deliver(opened.position, datum)

    def _tensor(self, position: Position, rows: Lisp) -> Lisp:
        """The tensor with the elements of nested vectors."""
        from lambent.lang.interp.builtins.tensors import extension

        module = extension()
        try:
            return module.make(rows, None, None, False)
        except module.TensorError as error:
            fail(position, error.message)

    def _built(self, opened: _OpenDatum) -> Lisp:
        items = opened.items
        match opened.kind:
            case _Kind.VECTOR | _Kind.TENSOR:
                datum = Vector(items)
                for index, item in enumerate(items):
                    if item.__class__ is _Placeholder:
                        self._patch(items.__setitem__, index, item)
                return datum
            case _Kind.BYTES:
                return Bytes(bytearray(items))
        result = items.pop() if opened.dots else NIL
        for item in reversed(items):
            result = self._pair(item, result)
        return result

    def _pair(self, first: Lisp, rest: Lisp) -> Pair:
        pair = Pair(first, rest)
        if first.__class__ is _Placeholder:
            self._patch(pair.__setattr__, "car", first)
        if rest.__class__ is _Placeholder:
            self._patch(pair.__setattr__, "cdr", rest)
        return pair

    def _patch(
        self, put: Callable[[Any, Lisp], None], where: Any, placeholder: _Placeholder
    ) -> None:
        """At the end, replace a placeholder by the label's datum."""
        if self._skipping:
            return

        def patch() -> None:
            value: Lisp = placeholder
            while value.__class__ is _Placeholder:  # a label's datum may be a reference
                value = value.value
            put(where, value)

        self._patches.append(patch)
