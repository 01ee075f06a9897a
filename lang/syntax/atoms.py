"""The meaning of single tokens of a source: words, characters, what stands between quotes.

    word("1/2", ...)  =>  Number(1/2)        unescaped(r"a\\nb", ...)  =>  "a", a line end, "b"

`reader.py` and `plain_reader.py` find the tokens.  `lang/interp/io/data_tokens.py` has the same
rules for `read` at run time.
"""

import re

from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.datum import Boolean, Character, Datum, Keyword, Number, Symbol
from lambent.lang.syntax.numerals import has_zero_denominator, is_complex, parse_number
from lambent.lang.syntax.source import Source, Span
from lambent.lang.syntax.text import CHARACTER_NAMES

_BOOLEANS = {"#t": True, "#true": True, "#f": False, "#false": False}
_SPECIAL = frozenset("+-.#:0123456789")  # how words begin that may not be symbols
_ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "r": "\r"}
_ESCAPE = re.compile(
    r"(?P<end>\r\n?)|"
    r"\\(?:x(?P<code>[0-9a-fA-F]+);|(?P<line>[ \t]*(?:\r\n?|\n)[ \t]*)|(?P<char>[\s\S]))"
)
_LAST_CODE_POINT = 0x10FFFF


def word(text: str, folded: str, span: Span) -> Datum:
    """A token without delimiters.  folded: the text, in lower case after `#!fold-case`."""
    if text[0] not in _SPECIAL:
        return Symbol(folded, span)
    if (boolean := _BOOLEANS.get(text.lower())) is not None:
        return Boolean(boolean, span)
    if (number := parse_number(text)) is not None:
        return Number(number, span)
    if has_zero_denominator(text):
        raise SyntaxFault(f"division by zero: {text}", span)
    if is_complex(text):
        raise SyntaxFault(f"complex numbers are not supported: {text}", span)
    if text.startswith("#"):
        raise SyntaxFault(_unknown_word(text), span)
    if folded.startswith(":") and len(folded) > 1:
        return Keyword(folded[1:], span)
    return Symbol(folded, span)


def _unknown_word(text: str) -> str:
    if re.match(r"#[bodxei]", text, re.IGNORECASE):
        return f"bad number: {text}"
    return f"unknown syntax: {text}"


def character(text: str, folded: str, span: Span) -> Character:
    r"""A token that begins with `#\`.  folded: as for words."""
    name = text[2:]
    if len(name) == 1:
        return Character(name, span)
    if (named := CHARACTER_NAMES.get(folded[2:])) is not None:
        return Character(named, span)
    if re.fullmatch(r"x[0-9a-fA-F]+", name):
        return Character(_code_point(name[1:], span), span)
    raise SyntaxFault(f"unknown character name: {text}", span)


def unescaped(text: str, source: Source, start: int) -> str:
    """The text between two delimiters, with escapes replaced by what they mean.

    start: the offset of the text in the source.
    """

    def meaning(match: re.Match[str]) -> str:
        span = Span(source, start + match.start(), start + match.end())
        if match["code"]:
            return _code_point(match["code"], span)
        if match["end"]:
            return "\n"
        if match["line"]:
            return ""
        char: str = match["char"]
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char in '"\\|':
            return char
        raise SyntaxFault(f"unknown escape: \\{char}", span)

    return _ESCAPE.sub(meaning, text) if "\\" in text or "\r" in text else text


def _code_point(digits: str, span: Span) -> str:
    code = int(digits, 16)
    if code > _LAST_CODE_POINT or 0xD800 <= code < 0xE000:
        raise SyntaxFault(f"not a character: x{digits}", span)
    return chr(code)
