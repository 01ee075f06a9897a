"""`read`: the next datum of a port.

The same syntax and the same words for mistakes as the reader of sources, `lang/syntax/reader.py`,
but it takes no more text than it needs, and nothing heavy is loaded.  Here are the structure and
the labels; the tokens are in `data_tokens.py`.  `runtime/ports/read.c` is the twin of both.

    (a . #;b 'c)  =>  frames LIST, then LIST SKIP, then LIST PREFIX;  (a quote c)
"""

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NoReturn

from lambent.lang.interp.io.data_tokens import (
    Location,
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
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.io.sources import TextSource
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
from lambent.lang.syntax.text import ABBREVIATIONS

_NAME_OF_PREFIX = {prefix: name for name, prefix in ABBREVIATIONS.items()}
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


class _Frame:
    """What is being read.  dots holds, for each dot, how many items stand before it, and its place.

    label is the number of a label, None in what is skipped.
    """

    __slots__ = ("dots", "items", "kind", "label", "location", "opening")

    def __init__(
        self, kind: _Kind, location: Location, opening: str, label: int | None = None
    ) -> None:
        self.kind = kind
        self.location = location
        self.opening = opening
        self.label = label
        self.items: list[Lisp] = []
        self.dots: list[tuple[int, Location]] = []


class _Placeholder:
    """What stands for a label's datum while that is read; value is the datum afterwards."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: Lisp = None


def read_datum(source: TextSource) -> Lisp:
    """The next datum, or the end-of-file object."""
    return _Reader(source).read()


def read_text(text: str) -> Lisp:
    """The datum that a text writes."""
    return read_datum(TextSource(None, text))


class _Reader:
    def __init__(self, source: TextSource) -> None:
        self._source = source
        self._frames: list[_Frame] = []
        self._labels: dict[int, Lisp] = {}
        self._patches: list[Callable[[], None]] = []
        self._skipping = 0  # how many frames are of kind SKIP: labels in them do not count
        self._result: Lisp = None  # until it is there

    def read(self) -> Lisp:
        while self._result is None:
            first = skip_blanks(self._source)
            if first:
                self._read_token(first)
            elif self._frames:
                self._fail_at_end()
            else:
                return EOF
        for patch in self._patches:
            patch()
        return self._result

    # Mistakes.

    def _fail_nothing_follows(self, frame: _Frame) -> NoReturn:
        fail(frame.location, f"nothing follows {frame.opening}")

    def _fail_at_end(self) -> NoReturn:
        frame = self._frames[-1]
        if frame.kind in _WANT_DATUM:
            self._fail_nothing_follows(frame)
        fail(frame.location, f"unclosed {frame.opening}")

    # Tokens.

    def _read_token(self, first: str) -> None:
        location = self._source.location()
        match first:
            case "(":
                self._open(_Kind.LIST, location, "(")
            case ")" | "]":
                self._source.at += 1
                self._close(location, first)
            case "[":
                self._open_tensor(location)
            case "'" | "`" | ",":
                prefix = ",@" if first == "," and char_at(self._source, 1) == "@" else first
                self._open(_Kind.PREFIX, location, prefix)
            case '"' | "|":
                self._deliver(location, read_delimited(self._source, location, first))
            case "#":
                self._read_hash(location)
            case _:
                self._read_word(location)

    def _open(self, kind: _Kind, location: Location, opening: str) -> None:
        self._source.at += len(opening)
        self._skipping += kind is _Kind.SKIP
        self._frames.append(_Frame(kind, location, opening))

    def _open_tensor(self, location: Location) -> None:
        around = self._frames[-_MOST_DIMENSIONS:]
        if len(around) == _MOST_DIMENSIONS and all(f.kind is _Kind.TENSOR for f in around):
            fail(location, f"a tensor has at most {_MOST_DIMENSIONS} dimensions")
        self._open(_Kind.TENSOR, location, "[")

    def _read_hash(self, location: Location) -> None:
        source = self._source
        second = char_at(source, 1)
        match second:
            case "(":
                self._open(_Kind.VECTOR, location, "#(")
            case ";":
                self._open(_Kind.SKIP, location, "#;")
            case "|":
                skip_nested_comment(source, location)
            case "\\":
                self._deliver(location, read_character(source, location))
            case "!" if (word := word_at(source)) in _DIRECTIVES:
                source.folds_case = _DIRECTIVES[word]
                source.at += len(word)
            case "u" | "U" if word_at(source) in ("#u8", "#U8") and char_at(source, 3) == "(":
                self._open(_Kind.BYTES, location, "#u8(")
            case _ if second.isascii() and second.isdigit() and self._read_label(location):
                return
            case _:
                self._read_word(location)

    def _read_word(self, location: Location) -> None:
        word = word_at(self._source)
        if word == ".":
            self._source.at += 1
            self._note_dot(location)
        else:
            self._deliver(location, read_word(self._source, location, word))

    # Labels.

    def _read_label(self, location: Location) -> bool:
        """Read a label or a reference to one, if that stands here."""
        found = read_label(self._source)
        if found is None:
            return False
        number, labels = found
        if labels:
            self._define_label(location, number)
        else:
            self._refer_to_label(location, number)
        return True

    def _define_label(self, location: Location, number: int) -> None:
        label = None if self._skipping else number
        if label in self._labels:
            fail(location, f"datum label #{number}= is given twice")
        if label is not None:
            self._labels[label] = _Placeholder()
        self._frames.append(_Frame(_Kind.LABEL, location, f"#{number}=", label))

    def _refer_to_label(self, location: Location, number: int) -> None:
        if self._skipping:
            self._deliver(location, _Placeholder())
            return
        if number not in self._labels:
            fail(location, f"unknown datum label: #{number}#")
        self._deliver(location, self._labels[number])

    def _finish_label(self, frame: _Frame, value: Lisp) -> None:
        if frame.label is None:
            return
        placeholder = self._labels[frame.label]
        if value is placeholder:
            fail(frame.location, f"datum label #{frame.label}= labels itself")
        placeholder.value = value
        self._labels[frame.label] = value

    # Structure.

    def _deliver(self, location: Location, value: Lisp) -> None:
        """A datum is complete: it is the result, or an item of what is around it."""
        frames = self._frames
        while frames and frames[-1].kind in _WANT_DATUM:
            frame = frames.pop()
            location = frame.location
            if frame.kind is _Kind.SKIP:
                self._skipping -= 1
                return
            if frame.kind is _Kind.PREFIX:
                name = symbol(_NAME_OF_PREFIX[frame.opening])
                value = Pair(name, self._pair(value, NIL))
            else:
                self._finish_label(frame, value)
        if not frames:
            self._result = value
            return
        self._check_item(frames[-1].kind, location, value)
        frames[-1].items.append(value)

    def _check_item(self, around: _Kind, location: Location, value: Lisp) -> None:
        """Refuse what bytes or a tensor cannot hold."""
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
            fail(location, f"{words}: {written(value)}" if is_atom else words)

    def _note_dot(self, location: Location) -> None:
        frame = self._frames[-1] if self._frames else None
        if not frame or frame.kind is not _Kind.LIST:
            fail(location, "unexpected .")
        frame.dots.append((len(frame.items), location))

    def _close(self, location: Location, found: str) -> None:
        if not self._frames:
            fail(location, f"unexpected {found}")
        frame = self._frames[-1]
        if frame.kind in _WANT_DATUM:
            self._fail_nothing_follows(frame)
        if found != ("]" if frame.kind is _Kind.TENSOR else ")"):
            at = f"{frame.location[0]}:{frame.location[1]}"
            fail(location, f"{frame.opening} opened at {at} is closed by {found}")
        items = frame.items
        if frame.dots:
            before, last = frame.dots[0][0], frame.dots[-1][1]
            if len(frame.dots) > 1 or before == 0 or before != len(items) - 1:
                fail(last, "unexpected .")
        self._frames.pop()
        made = self._built(frame)
        if frame.kind is _Kind.TENSOR:
            if self._frames and self._frames[-1].kind is _Kind.TENSOR:
                self._frames[-1].items.append(made)
                return
            if not self._skipping:
                made = self._tensor(frame.location, made)
        self._deliver(frame.location, made)

    def _tensor(self, location: Location, rows: Lisp) -> Lisp:
        """The tensor of nested vectors."""
        from lambent.lang.interp.builtins.tensors import extension

        module = extension()
        try:
            return module.make(rows, None, None, False)
        except module.TensorError as error:
            fail(location, error.message)

    def _built(self, frame: _Frame) -> Lisp:
        items = frame.items
        match frame.kind:
            case _Kind.VECTOR | _Kind.TENSOR:
                made = Vector(items)
                for index, item in enumerate(items):
                    if item.__class__ is _Placeholder:
                        self._patch(items.__setitem__, index, item)
                return made
            case _Kind.BYTES:
                return Bytes(bytearray(items))
        result = items.pop() if frame.dots else NIL
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

    def _patch(self, put: Callable[[Any, Lisp], None], where: Any, found: _Placeholder) -> None:
        """At the end, put what a placeholder stands for in its place."""
        if self._skipping:
            return

        def patch() -> None:
            value: Lisp = found
            while value.__class__ is _Placeholder:  # a label's datum may be a reference
                value = value.value
            put(where, value)

        self._patches.append(patch)
