"""`read`: the next datum of a port.

The same syntax and the same words for mistakes as the reader of sources, `lang/syntax/reader.py`,
but it takes no more text than it needs, and nothing heavy is loaded.  `runtime/read.c` is its twin.

    (a . #;b 'c)  =>  frames LIST, then LIST SKIP, then LIST PREFIX;  (a quote c)
"""

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NoReturn

from lambent.lang.errors import ReadFault
from lambent.lang.interp.printing import written
from lambent.lang.interp.sources import TextSource
from lambent.lang.interp.values import (
    EOF,
    FALSE,
    NIL,
    NUMBERS,
    TRUE,
    Boolean,
    Bytes,
    Lisp,
    Pair,
    String,
    Vector,
    char,
    keyword,
    symbol,
)
from lambent.lang.syntax.numerals import has_zero_denominator, is_complex, parse_number
from lambent.lang.syntax.text import ABBREVIATIONS, CHARACTER_NAMES

Place = tuple[int, int]

_BLANKS = re.compile(r"[\x00-\x20\x7f]*")
_WORD = re.compile(r"""[^()\[\]"';`,|\x00-\x20\x7f]*""")
_DELIMITED = {
    '"': re.compile(r'"(?:[^"\\]|\\[\s\S])*"'),
    "|": re.compile(r"\|(?:[^|\\]|\\[\s\S])*\|"),
}
_LABEL = re.compile(r"#([0-9]{1,18})([=#])")
_LABEL_OR_MORE = re.compile(r"#[0-9]*")
_COMMENT_MARK = re.compile(r"#\||\|#")
_ESCAPE = re.compile(
    r"(?P<end>\r\n?)|"
    r"\\(?:x(?P<code>[0-9a-fA-F]+);|(?P<line>[ \t]*(?:\r\n?|\n)[ \t]*)|(?P<char>[\s\S]))"
)
_MEANINGS = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "r": "\r", '"': '"', "\\": "\\", "|": "|"}
_NAME_OF_PREFIX = {prefix: name for name, prefix in ABBREVIATIONS.items()}
_BOOLEANS = {"#t": TRUE, "#true": TRUE, "#f": FALSE, "#false": FALSE}
_DIRECTIVES = {"#!fold-case": True, "#!no-fold-case": False}
_LAST_CODE_POINT = 0x10FFFF
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

    __slots__ = ("dots", "items", "kind", "label", "opening", "place")

    def __init__(
        self, kind: _Kind, place: Place, opening: str, label: int | None = None
    ) -> None:
        self.kind = kind
        self.place = place
        self.opening = opening
        self.label = label
        self.items: list[Lisp] = []
        self.dots: list[tuple[int, Place]] = []


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
            first = self._skip_blanks()
            if first:
                self._read_token(first)
            elif self._frames:
                self._fail_at_end()
            else:
                return EOF
        for patch in self._patches:
            patch()
        return self._result

    # Text.

    def _char_at(self, index: int) -> str:
        """The character at an index from the next one; empty at the end."""
        source = self._source
        while len(source.text) - source.at <= index:
            if not source.fill("read"):
                return ""
        return source.text[source.at + index]

    def _skip_blanks(self) -> str:
        """The next character that is neither blank nor in a comment to the end of the line."""
        source = self._source
        while first := self._char_at(0):
            if first <= " " or first == "\x7f":
                found = _BLANKS.match(source.text, source.at)
                assert found, first
                source.at = found.end()
            elif first == ";":
                self._skip_line()
            else:
                return first
        return ""

    def _skip_line(self) -> None:
        source = self._source
        while (end := source.text.find("\n", source.at)) < 0:
            source.at = len(source.text)
            if not source.fill("read"):
                return
        source.at = end

    def _skip_nested_comment(self, place: Place) -> None:
        source = self._source
        source.at += 2
        depth = 1
        while depth:
            found = _COMMENT_MARK.search(source.text, source.at)
            if found:
                depth += 1 if found[0] == "#|" else -1
                source.at = found.end()
                continue
            # The last character may be the first half of a mark.
            source.at = max(source.at, len(source.text) - 1)
            if not source.fill("read"):
                source.at = len(source.text)
                self._fail(place, "unclosed #|")

    def _word(self, skipped: int = 0) -> str:
        """The characters up to the next delimiter, the first skipped ones whatever they are."""
        source = self._source
        while True:
            found = _WORD.match(source.text, source.at + skipped)
            assert found, skipped
            if found.end() < len(source.text) or not source.fill("read"):
                return source.text[source.at : found.end()]

    # Mistakes.

    def _fail(self, place: Place, message: str) -> NoReturn:
        raise ReadFault(f"read: {message} at line {place[0]}, column {place[1]}")

    def _fail_nothing_follows(self, frame: _Frame) -> NoReturn:
        self._fail(frame.place, f"nothing follows {frame.opening}")

    def _fail_at_end(self) -> NoReturn:
        frame = self._frames[-1]
        if frame.kind in _WANT_DATUM:
            self._fail_nothing_follows(frame)
        self._fail(frame.place, f"unclosed {frame.opening}")

    # Tokens.

    def _read_token(self, first: str) -> None:
        place = self._source.place()
        match first:
            case "(":
                self._open(_Kind.LIST, place, "(")
            case ")" | "]":
                self._source.at += 1
                self._close(place, first)
            case "[":
                self._open_tensor(place)
            case "'" | "`" | ",":
                prefix = ",@" if first == "," and self._char_at(1) == "@" else first
                self._open(_Kind.PREFIX, place, prefix)
            case '"' | "|":
                self._read_delimited(place, first)
            case "#":
                self._read_hash(place)
            case _:
                self._read_word(place)

    def _open(self, kind: _Kind, place: Place, opening: str) -> None:
        self._source.at += len(opening)
        self._skipping += kind is _Kind.SKIP
        self._frames.append(_Frame(kind, place, opening))

    def _open_tensor(self, place: Place) -> None:
        around = self._frames[-_MOST_DIMENSIONS:]
        if len(around) == _MOST_DIMENSIONS and all(f.kind is _Kind.TENSOR for f in around):
            self._fail(place, f"a tensor has at most {_MOST_DIMENSIONS} dimensions")
        self._open(_Kind.TENSOR, place, "[")

    def _read_hash(self, place: Place) -> None:
        second = self._char_at(1)
        match second:
            case "(":
                self._open(_Kind.VECTOR, place, "#(")
            case ";":
                self._open(_Kind.SKIP, place, "#;")
            case "|":
                self._skip_nested_comment(place)
            case "\\":
                self._read_character(place)
            case "!" if (word := self._word()) in _DIRECTIVES:
                self._source.folds_case = _DIRECTIVES[word]
                self._source.at += len(word)
            case "u" | "U" if self._word() in ("#u8", "#U8") and self._char_at(3) == "(":
                self._open(_Kind.BYTES, place, "#u8(")
            case _ if second.isascii() and second.isdigit() and self._read_label(place):
                return
            case _:
                self._read_word(place)

    def _read_word(self, place: Place) -> None:
        word = self._word()
        if word == ".":
            self._source.at += 1
            self._note_dot(place)
            return
        value = self._value_of_word(place, word)
        self._source.at += len(word)
        self._deliver(place, value)

    def _folded(self, word: str) -> str:
        if not self._source.folds_case:
            return word
        from lambent.lang.interp.unicode import foldcase_text

        return foldcase_text(word)

    def _value_of_word(self, place: Place, word: str) -> Lisp:
        folded = self._folded(word)
        if (boolean := word.lower()) in _BOOLEANS:
            return _BOOLEANS[boolean]
        number = parse_number(word)
        if number is not None:
            return _number(number)
        if has_zero_denominator(word):
            self._fail(place, f"division by zero: {word}")
        if is_complex(word):
            self._fail(place, f"there are no complex numbers: {word}")
        if word[0] == "#":
            kind = "bad number" if word[1:2] and word[1] in "bodxeiBODXEI" else "unknown syntax"
            self._fail(place, f"{kind}: {word}")
        if folded[0] == ":" and len(folded) > 1:
            return keyword(folded[1:])
        return symbol(folded)

    def _read_character(self, place: Place) -> None:
        if not self._char_at(2):
            self._fail(place, "unknown syntax: #\\")
        token = self._word(3)
        name = token[2:]
        if len(name) > 1:
            name = self._named_character(place, token)
        self._source.at += len(token)
        self._deliver(place, char(name))

    def _named_character(self, place: Place, token: str) -> str:
        name = self._folded(token[2:])
        if name in CHARACTER_NAMES:
            return CHARACTER_NAMES[name]
        if not re.fullmatch(r"x[0-9a-fA-F]+", token[2:]):
            self._fail(place, f"unknown character name: {token}")
        return self._character(place, token[3:])

    def _character(self, place: Place, digits: str) -> str:
        code = int(digits, 16)
        if code > _LAST_CODE_POINT or 0xD800 <= code < 0xE000:
            self._fail(place, f"not a character: x{digits}")
        return chr(code)

    def _read_delimited(self, place: Place, delimiter: str) -> None:
        source = self._source
        pattern = _DELIMITED[delimiter]
        while not (found := pattern.match(source.text, source.at)):
            if not source.fill("read"):
                self._fail(place, f"unclosed {delimiter}")
        token = found[0]
        text = self._unescaped(place, token) if _ESCAPE.search(token) else token[1:-1]
        source.at += len(token)
        self._deliver(place, String(text) if delimiter == '"' else symbol(text))

    def _unescaped(self, place: Place, token: str) -> str:
        def meaning(match: "re.Match[str]") -> str:
            if match["end"]:
                return "\n"
            if match["line"]:
                return ""
            where = _advanced(place, token[: match.start() + 1])
            if match["code"]:
                return self._character(where, match["code"])
            letter: str = match["char"]
            if letter not in _MEANINGS:
                self._fail(where, f"unknown escape: \\{letter}")
            return _MEANINGS[letter]

        return _ESCAPE.sub(meaning, token[1:-1])

    # Labels.

    def _read_label(self, place: Place) -> bool:
        """Read a label or a reference to one, if that stands here."""
        source = self._source
        while True:
            digits = _LABEL_OR_MORE.match(source.text, source.at)
            assert digits, place
            if digits.end() < len(source.text) or not source.fill("read"):
                break
        found = _LABEL.match(source.text, source.at)
        if not found:
            return False
        source.at = found.end()
        number = int(found[1])
        if found[2] == "=":
            self._define_label(place, number)
        else:
            self._refer_to_label(place, number)
        return True

    def _define_label(self, place: Place, number: int) -> None:
        label = None if self._skipping else number
        if label in self._labels:
            self._fail(place, f"datum label #{number}= is given twice")
        if label is not None:
            self._labels[label] = _Placeholder()
        self._frames.append(_Frame(_Kind.LABEL, place, f"#{number}=", label))

    def _refer_to_label(self, place: Place, number: int) -> None:
        if self._skipping:
            self._deliver(place, _Placeholder())
            return
        if number not in self._labels:
            self._fail(place, f"unknown datum label: #{number}#")
        self._deliver(place, self._labels[number])

    def _finish_label(self, frame: _Frame, value: Lisp) -> None:
        if frame.label is None:
            return
        placeholder = self._labels[frame.label]
        if value is placeholder:
            self._fail(frame.place, f"datum label #{frame.label}= labels itself")
        placeholder.value = value
        self._labels[frame.label] = value

    # Structure.

    def _deliver(self, place: Place, value: Lisp) -> None:
        """A datum is complete: it is the result, or an item of what is around it."""
        frames = self._frames
        while frames and frames[-1].kind in _WANT_DATUM:
            frame = frames.pop()
            place = frame.place
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
        self._check_item(frames[-1].kind, place, value)
        frames[-1].items.append(value)

    def _check_item(self, around: _Kind, place: Place, value: Lisp) -> None:
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
            self._fail(place, f"{words}: {written(value)}" if is_atom else words)

    def _note_dot(self, place: Place) -> None:
        frame = self._frames[-1] if self._frames else None
        if not frame or frame.kind is not _Kind.LIST:
            self._fail(place, "unexpected .")
        frame.dots.append((len(frame.items), place))

    def _close(self, place: Place, found: str) -> None:
        if not self._frames:
            self._fail(place, f"unexpected {found}")
        frame = self._frames[-1]
        if frame.kind in _WANT_DATUM:
            self._fail_nothing_follows(frame)
        if found != ("]" if frame.kind is _Kind.TENSOR else ")"):
            at = f"{frame.place[0]}:{frame.place[1]}"
            self._fail(place, f"{frame.opening} opened at {at} is closed by {found}")
        items = frame.items
        if frame.dots:
            before, last = frame.dots[0][0], frame.dots[-1][1]
            if len(frame.dots) > 1 or before == 0 or before != len(items) - 1:
                self._fail(last, "unexpected .")
        self._frames.pop()
        made = self._built(frame)
        if frame.kind is _Kind.TENSOR:
            if self._frames and self._frames[-1].kind is _Kind.TENSOR:
                self._frames[-1].items.append(made)
                return
            if not self._skipping:
                made = self._tensor(frame.place, made)
        self._deliver(frame.place, made)

    def _tensor(self, place: Place, rows: Lisp) -> Lisp:
        """The tensor of nested vectors."""
        from lambent.lang.interp.builtins.tensors import extension

        module = extension()
        try:
            return module.make(rows, None, None, False)
        except module.TensorError as error:
            self._fail(place, error.message)

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


def _number(number: Any) -> Lisp:
    if number.__class__ in (int, float):
        return number
    from lambent.lang.interp.rationals import rational

    return rational(number.numerator, number.denominator)


def _advanced(place: Place, text: str) -> Place:
    """The place behind a text that begins at a place."""
    lines = text.count("\n")
    if lines:
        return place[0] + lines, len(text) - text.rindex("\n")
    return place[0], place[1] + len(text)
