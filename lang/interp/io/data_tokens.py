"""The tokens of `read`: blanks, comments, words, characters, strings.

Each function removes what it has read from the stream, and fills the stream no further than it
must.  `data_reader.py` builds data from them; `runtime/ports/read.c` is the counterpart of both.

    skip_blanks(stream)  =>  "#"        read_character(stream, position)  =>  `A` for `#\\x41`
"""

import re
from typing import Any, NoReturn

from lambent.lang.errors import ReadFault
from lambent.lang.interp.io.input_streams import TextInput
from lambent.lang.interp.values.values import (
    FALSE,
    TRUE,
    Char,
    Lisp,
    String,
    Symbol,
    char,
    keyword,
    symbol,
)
from lambent.lang.syntax.numerals import has_zero_denominator, is_complex, parse_number
from lambent.lang.syntax.text import CHARACTER_NAMES

Position = tuple[int, int]

_LINE_END = re.compile(r"[\r\n]")
_BLANKS = re.compile(r"[\x00-\x20\x7f]*")
_WORD = re.compile(r"""[^()\[\]"';`,|\x00-\x20\x7f]*""")
_DELIMITED = {
    '"': re.compile(r'"(?:[^"\\]|\\[\s\S])*"'),
    "|": re.compile(r"\|(?:[^|\\]|\\[\s\S])*\|"),
}
_LABEL = re.compile(r"#([0-9]{1,18})([=#])")
_LABEL_OR_MORE = re.compile(r"#[0-9]*")
_COMMENT_DELIMITER = re.compile(r"#\||\|#")
_ESCAPE = re.compile(
    r"(?P<end>\r\n?)|"
    r"\\(?:x(?P<code>[0-9a-fA-F]+);|(?P<line>[ \t]*(?:\r\n?|\n)[ \t]*)|(?P<char>[\s\S]))"
)
_MEANINGS = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "r": "\r", '"': '"', "\\": "\\", "|": "|"}
_BOOLEANS = {"#t": TRUE, "#true": TRUE, "#f": FALSE, "#false": FALSE}
_LAST_CODE_POINT = 0x10FFFF


def fail(position: Position, message: str) -> NoReturn:
    raise ReadFault(f"read: {message} at line {position[0]}, column {position[1]}")


def char_at(stream: TextInput, index: int) -> str:
    """The character at an index from the next one; empty at the end."""
    while len(stream.text) - stream.at <= index:
        if not stream.fill("read"):
            return ""
    return stream.text[stream.at + index]


# Blanks and comments.


def skip_blanks(stream: TextInput) -> str:
    """The next character that is neither blank nor in a comment to the end of the line."""
    while first := char_at(stream, 0):
        if first <= " " or first == "\x7f":
            blanks = _BLANKS.match(stream.text, stream.at)
            assert blanks, first
            stream.at = blanks.end()
        elif first == ";":
            _skip_line(stream)
        else:
            return first
    return ""


def _skip_line(stream: TextInput) -> None:
    while not (line_end := _LINE_END.search(stream.text, stream.at)):
        stream.at = len(stream.text)
        if not stream.fill("read"):
            return
    stream.at = line_end.start()


def skip_nested_comment(stream: TextInput, position: Position) -> None:
    stream.at += 2
    depth = 1
    while depth:
        delimiter = _COMMENT_DELIMITER.search(stream.text, stream.at)
        if delimiter:
            depth += 1 if delimiter[0] == "#|" else -1
            stream.at = delimiter.end()
            continue
        # The last character may be the first half of a delimiter.
        stream.at = max(stream.at, len(stream.text) - 1)
        if not stream.fill("read"):
            stream.at = len(stream.text)
            fail(position, "unclosed #|")


# Words.


def word_at(stream: TextInput, skipped: int = 0) -> str:
    """The characters up to the next delimiter; the first skipped ones may be any characters."""
    while True:
        word = _WORD.match(stream.text, stream.at + skipped)
        assert word, skipped
        if word.end() < len(stream.text) or not stream.fill("read"):
            return stream.text[stream.at : word.end()]


def read_word(stream: TextInput, position: Position, word: str) -> Lisp:
    """The value of the word that begins here."""
    value = _value_of_word(position, word, _folded(stream, word))
    stream.at += len(word)
    return value


def _folded(stream: TextInput, word: str) -> str:
    if not stream.folds_case:
        return word
    from lambent.lang.interp.values.unicode import foldcase_text

    return foldcase_text(word)


def _value_of_word(position: Position, word: str, folded: str) -> Lisp:
    if (boolean := word.lower()) in _BOOLEANS:
        return _BOOLEANS[boolean]
    number = parse_number(word)
    if number is not None:
        return _number(number)
    if has_zero_denominator(word):
        fail(position, f"division by zero: {word}")
    if is_complex(word):
        fail(position, f"complex numbers are not supported: {word}")
    if word[0] == "#":
        kind = "bad number" if word[1:2] and word[1] in "bodxeiBODXEI" else "unknown syntax"
        fail(position, f"{kind}: {word}")
    if folded[0] == ":" and len(folded) > 1:
        return keyword(folded[1:])
    return symbol(folded)


def _number(number: Any) -> Lisp:
    if number.__class__ in (int, float):
        return number
    from lambent.lang.interp.values.rationals import rational

    return rational(number.numerator, number.denominator)


def read_label(stream: TextInput) -> tuple[int, bool] | None:
    """The number of the label that begins here, and whether it is `#0=`, not a reference `#0#`."""
    while True:
        digits = _LABEL_OR_MORE.match(stream.text, stream.at)
        assert digits, stream.at
        if digits.end() < len(stream.text) or not stream.fill("read"):
            break
    label = _LABEL.match(stream.text, stream.at)
    if not label:
        return None
    stream.at = label.end()
    return int(label[1]), label[2] == "="


# Characters.


def read_character(stream: TextInput, position: Position) -> Char:
    if not char_at(stream, 2):
        fail(position, "unknown syntax: #\\")
    token = word_at(stream, 3)
    name = token[2:]
    if len(name) > 1:
        name = _named_character(position, token, _folded(stream, name))
    stream.at += len(token)
    return char(name)


def _named_character(position: Position, token: str, folded: str) -> str:
    if folded in CHARACTER_NAMES:
        return CHARACTER_NAMES[folded]
    if not re.fullmatch(r"x[0-9a-fA-F]+", token[2:]):
        fail(position, f"unknown character name: {token}")
    return _coded_character(position, token[3:])


def _coded_character(position: Position, digits: str) -> str:
    code = int(digits, 16)
    if code > _LAST_CODE_POINT or 0xD800 <= code < 0xE000:
        fail(position, f"not a character: x{digits}")
    return chr(code)


# Strings, and symbols between bars.


def read_delimited(stream: TextInput, position: Position, delimiter: str) -> String | Symbol:
    pattern = _DELIMITED[delimiter]
    while not (match := pattern.match(stream.text, stream.at)):
        if not stream.fill("read"):
            fail(position, f"unclosed {delimiter}")
    token = match[0]
    text = _unescaped(position, token) if _ESCAPE.search(token) else token[1:-1]
    stream.at += len(token)
    return String(text) if delimiter == '"' else symbol(text)


def _unescaped(position: Position, token: str) -> str:
    """The text of a token that begins at a position.

    The position moves on from escape to escape, so that the token is counted only once.
    """
    counted = 0

    def meaning(match: "re.Match[str]") -> str:
        nonlocal position, counted
        if match["end"]:
            return "\n"
        if match["line"]:
            return ""
        position = _advanced(position, token[counted : match.start() + 1])
        counted = match.start() + 1
        if match["code"]:
            return _coded_character(position, match["code"])
        letter: str = match["char"]
        if letter not in _MEANINGS:
            fail(position, f"unknown escape: \\{letter}")
        return _MEANINGS[letter]

    return _ESCAPE.sub(meaning, token[1:-1])


def _advanced(position: Position, text: str) -> Position:
    """The position after a text that begins at a position."""
    lines = text.count("\n")
    if lines:
        return position[0] + lines, len(text) - text.rindex("\n")
    return position[0], position[1] + len(text)
