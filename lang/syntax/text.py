"""Data as text: `to_text` prints a datum so that reading the text returns an equal datum.

    List(Symbol quote, Symbol x)  =>  'x
    Symbol 'two words'            =>  |two words|

The functions for atoms are public because the interpreter's `write` follows the same rules
(`runtime/ports/print.c` has them for executables).
"""

import re
from typing import assert_never

from lambent.lang.syntax.datum import (
    Boolean,
    Brackets,
    Bytes,
    Character,
    Datum,
    Keyword,
    Labelled,
    List,
    Number,
    Reference,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.numerals import format_number, reads_as_number

ABBREVIATIONS = {"quote": "'", "quasiquote": "`", "unquote": ",", "unquote-splicing": ",@"}
# What prefixes stand for in the text of a datum; those of syntax are written in full.
NAME_OF_PREFIX = {prefix: name for name, prefix in ABBREVIATIONS.items()} | {
    "#'": "syntax", "#`": "quasisyntax", "#,": "unsyntax", "#,@": "unsyntax-splicing"
}

# Names of characters, as in R7RS.  The first name of a character is the one that is printed.
CHARACTER_NAMES = {
    "alarm": "\a",
    "backspace": "\b",
    "delete": "\x7f",
    "escape": "\x1b",
    "newline": "\n",
    "null": "\0",
    "return": "\r",
    "space": " ",
    "tab": "\t",
    "nul": "\0",
    "altmode": "\x1b",
    "rubout": "\x7f",
    "linefeed": "\n",
    "page": "\f",
}
_NAME_OF_CHARACTER = {char: name for name, char in reversed(CHARACTER_NAMES.items())}
_ESCAPE_OF_CHARACTER = {
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\r": "\\r",
    "\\": "\\\\",
}
# A symbol without bars has no white space, brackets, quotes, or start of a comment.
# It does not begin with a byte order mark, which is dropped at the start of a file.
_PLAIN_SYMBOL = re.compile(
    r"""[^()\[\]"';`,|\\#:\x00-\x20\x7f\ufeff][^()\[\]"';`,|\\\x00-\x20\x7f]*"""
)


def to_text(datum: Datum) -> str:
    """The datum on one line, as `write` shows it."""
    pieces: list[str] = []
    waiting: list[Datum | str] = [datum]  # the next one last; data may be nested very deeply
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            pieces.append(piece)
        else:
            waiting.extend(reversed(_pieces(piece)))
    return "".join(pieces)


def _pieces(datum: Datum) -> list[Datum | str]:
    """The texts and the inner data of a datum, in order."""
    match datum:
        case Symbol(name):
            return [symbol_text(name)]
        case Keyword(name):
            return [f":{name}"]
        case Number(value):
            return [format_number(value)]
        case Boolean(value):
            return ["#t" if value else "#f"]
        case String(text):
            return [string_text(text)]
        case Character(char):
            return [character_text(char)]
        case List((Symbol(name), quoted), None) if name in ABBREVIATIONS:
            # `, @x` is not `,@x`.
            spaced = isinstance(quoted, Symbol) and symbol_text(quoted.name).startswith("@")
            return [ABBREVIATIONS[name] + (" " if spaced else ""), quoted]
        case List(items, tail):
            dotted = [] if tail is None else [" . ", tail]
            return ["(", *_row(items), *dotted, ")"]
        case Vector(items):
            return ["#(", *_row(items), ")"]
        case Bytes(data):
            return [f"#u8({' '.join(map(str, data))})"]
        case Brackets(items):
            return ["[", *_row(items), "]"]
        case Labelled(number, labelled):
            return [f"#{number}=", labelled]
        case Reference(number):
            return [f"#{number}#"]
    assert_never(datum)


def _row(items: tuple[Datum, ...]) -> list[Datum | str]:
    return [piece for item in items for piece in (" ", item)][1:]


def symbol_text(name: str) -> str:
    """The name, between bars if it would otherwise read as something else."""
    if _PLAIN_SYMBOL.fullmatch(name) and name != "." and not reads_as_number(name):
        return name
    return "|" + "".join(_escape(char, "|") for char in name) + "|"


def string_text(text: str) -> str:
    return '"' + "".join(_escape(char, '"') for char in text) + '"'


def character_text(char: str) -> str:
    if char in _NAME_OF_CHARACTER:
        return f"#\\{_NAME_OF_CHARACTER[char]}"
    return f"#\\{char}" if not _is_control(char) else f"#\\x{ord(char):x}"


def _escape(char: str, delimiter: str) -> str:
    if char == delimiter:
        return f"\\{char}"
    if char in _ESCAPE_OF_CHARACTER:
        return _ESCAPE_OF_CHARACTER[char]
    return f"\\x{ord(char):x};" if _is_control(char) else char


def _is_control(char: str) -> bool:
    """Whether it is a control character of ASCII; all others are printed as they are."""
    return char < " " or char == "\x7f"
