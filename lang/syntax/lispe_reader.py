"""The text of LispE programs to data: `reader.py` calls this for a file with `(use 'lispe_...)`.

    (f a . g . h x)   =>  (f a (g (h x)))     the dot composes
    `two "lines"`     =>  the string between the back quotes, without escapes
    {"a":1 "b":2}     =>  (%dictionary "a" 1 "b" 2)
    [a $ b]           =>  Brackets: a pattern, or a list

Everything else reads as in Scheme.  Data have spans as the other reader's have.
"""

import re
from dataclasses import dataclass, field

from lambent.lang.errors import IncompleteInput, SyntaxFault
from lambent.lang.syntax.datum import (
    Brackets,
    Datum,
    Keyword,
    List,
    Number,
    String,
    Symbol,
)
from lambent.lang.syntax.source import Source, Span

DICTIONARY = "%dictionary"

_TOKEN = re.compile(
    r"""
    (?P<skip>[\s,\ufeff]+ | ;;[ \t]*\n[\s\S]*?;;[^\n]* | ;[^\n]*)
    | "(?P<string>(?:[^"\\]|\\[\s\S])*)"
    | `(?P<raw>[^`]*)`
    | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<quote>')
    | (?P<unclosed>["`])
    | (?P<colon>:)(?=[\s"'(\[{])
    | (?P<word>[^\s()\[\]{}"'`,;]+)
    """,
    re.VERBOSE,
)
_USE = re.compile(r"\(\s*use\s+'(?:lib)?lispe_\w+\s*\)")
_DECIMAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_HEXADECIMAL = re.compile(r"[-+]?0[xX][0-9a-fA-F]+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def is_lispe(text: str) -> bool:
    """Whether a form of the text, outside all others, is `(use 'lispe_...)`."""
    if _USE.search(text) is None:
        return False
    depth = 0
    for match in _TOKEN.finditer(text):
        if match["open"]:
            if depth == 0 and _USE.match(text, match.start()):
                return True
            depth += 1
        elif match["close"]:
            depth -= 1
    return False


@dataclass(slots=True)
class _Open:
    """A form that is being read.  dots: where compositions began, for the spans of their lists."""

    bracket: str
    start: int
    items: list[Datum] = field(default_factory=list)
    parts: list[list[Datum]] = field(default_factory=list)
    quotes: list[Span] = field(default_factory=list)

    def compose(self) -> None:
        self.parts.append(self.items)
        self.items = []


def read_lispe(source: Source) -> list[Datum]:
    """All data of a LispE source, in order."""
    text = source.text
    position = (text + "\n").index("\n") if text.startswith("#!") else 0
    top = _Open("", 0)
    stack = [top]
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None, text[position : position + 20]
        _take(match, stack, source)
        position = match.end()
    if len(stack) > 1:
        start = stack[-1].start
        raise IncompleteInput(f"unclosed {stack[-1].bracket}", Span(source, start, start + 1))
    if top.quotes:
        raise IncompleteInput("nothing follows '", top.quotes[-1])
    return top.items


def _take(match: re.Match[str], stack: list[_Open], source: Source) -> None:
    """Add a token to the innermost form."""
    span, inner = Span(source, match.start(), match.end()), stack[-1]
    match match.lastgroup:
        case "skip":
            return
        case "open":
            stack.append(_Open(match[0], match.start()))
            return
        case "close":
            _close(match[0], stack, span)
            return
        case "quote":
            inner.quotes.append(span)
            return
        case "unclosed":
            raise IncompleteInput(f"unclosed {match[0]}", Span(source, span.start, span.start + 1))
        case "colon":
            if inner.bracket != "{":
                _add(Symbol(":", span), inner)
            return
        case "string":
            _add(String(_unescaped(match["string"]), span), inner)
            return
        case "raw":
            _add(String(match["raw"], span), inner)
            return
    if match[0] == "." and inner.bracket == "(" and inner.items and not inner.quotes:
        inner.compose()
        return
    for datum in _words(match[0], span, inner):
        _add(datum, inner)


def _words(text: str, span: Span, inner: _Open) -> list[Datum]:
    """The data of a word; in a dictionary, `a:1` is a key and a value."""
    if inner.bracket == "{" and ":" in text[1:]:
        key, _, value = text.partition(":")
        middle = span.start + len(key)
        pieces = [(key, span.start), (value, middle + 1)]
        return [
            _word(piece, Span(span.source, start, start + len(piece)))
            for piece, start in pieces
            if piece
        ]
    if inner.bracket == "{" and text.startswith(":"):
        return [_word(text[1:], span)] if len(text) > 1 else []
    return [_word(text, span)]


def _word(text: str, span: Span) -> Datum:
    if _DECIMAL.fullmatch(text):
        is_integer = re.fullmatch(r"[-+]?\d+", text) is not None
        return Number(int(text) if is_integer else float(text), span)
    if _HEXADECIMAL.fullmatch(text):
        return Number(int(text, 16), span)
    if text.startswith(":") and len(text) > 1:
        return Keyword(text[1:], span)
    return Symbol(text, span)


def _add(datum: Datum, inner: _Open) -> None:
    """Add a datum, within its quotes."""
    while inner.quotes:
        quote = inner.quotes.pop()
        datum = List((Symbol("quote", quote), datum), None, quote.to(datum.span))
    inner.items.append(datum)


def _close(bracket: str, stack: list[_Open], span: Span) -> None:
    """End the innermost form and add it to the one around it."""
    inner = stack[-1]
    if len(stack) == 1:
        raise SyntaxFault(f"unexpected {bracket}", span)
    if _CLOSING[inner.bracket] != bracket:
        opened = Span(span.source, inner.start, inner.start + 1)
        raise SyntaxFault(
            f"{inner.bracket} opened at {opened.line}:{opened.column} is closed by {bracket}", span
        )
    if inner.quotes:
        raise SyntaxFault("nothing follows '", inner.quotes[-1])
    stack.pop()
    _add(_form(inner, span), stack[-1])


def _form(inner: _Open, end: Span) -> Datum:
    """The datum of a form that has ended."""
    whole = Span(end.source, inner.start, end.end)
    if inner.bracket == "[":
        return Brackets(tuple(inner.items), whole)
    if inner.bracket == "{":
        return List((Symbol(DICTIONARY, whole), *inner.items), None, whole)
    items = inner.items
    for part in reversed(inner.parts):
        if not items:
            raise SyntaxFault("nothing follows .", end)
        start = items[0].span
        items = [*part, List(tuple(items), None, Span(end.source, start.start, end.end))]
    return List(tuple(items), None, whole)


def _unescaped(text: str) -> str:
    """The text of a string, with what escapes stand for."""

    def meaning(match: re.Match[str]) -> str:
        if code := match[1] or match[2]:
            return chr(int(code, 16))
        return _ESCAPED.get(match[3], match[3])

    return _ESCAPE.sub(meaning, text)
