"""Text to data without Lark, for texts in which nothing is unusual: those of most programs.

Reading the library with Lark takes four times as long, and importing Lark longer than reading a
short program.  So `read` first tries this reader, which has no errors and no rare syntax: where it
meets either, it returns None, and Lark reads the text by the grammar.  A test compares the two.

    read_plain(Source("demo.lisp", "(f 'x)"))  =>  [List(Symbol f, List(Symbol quote, Symbol x))]
    read_plain(Source("demo.lisp", "(f . x"))  =>  None
"""

import re

from lambent.lang.errors import SyntaxFault
from lambent.lang.syntax.atoms import character, unescaped, word
from lambent.lang.syntax.datum import Brackets, Datum, List, String, Symbol, Vector
from lambent.lang.syntax.source import Source, Span
from lambent.lang.syntax.text import NAME_OF_PREFIX

_CLOSING = {"(": ")", "#(": ")", "[": "]"}
_DOT = Symbol(".", Span(Source("", ""), 0, 1))  # only in lists that are still open
_MOST_JOINED = 2  # items of a prefix's list
_IN_WORD = r"""[^()\[\]"';`,|\x00-\x20\x7f]"""
_TOKEN = re.compile(
    rf"""
    (?: [\x00-\x20\x7f]+ | ;[^\r\n]* )*+
    (?: (\#\\[\s\S]{_IN_WORD}*) | (\#?\(|\[) | ({_IN_WORD}+) | ([)\]]) | "((?:[^"\\]|\\[\s\S])*)"
      | (\#?(?:,@|['`,])) | ([\s\S]) )?
    """,
    re.VERBOSE,
)
_CHARACTER, _OPENING, _WORD, _CLOSED, _STRING, _PREFIX = range(1, 7)  # the groups


def read_plain(source: Source) -> list[Datum] | None:
    """All data of a source, in order; None if the grammar must read it."""
    try:
        return _read(source)
    except SyntaxFault:  # also at `#|`, `#;` and the like, which are not words
        return None  # the grammar may find an earlier error


def _read(source: Source) -> list[Datum] | None:
    items: list[Datum] = []  # of the innermost open datum
    opening, start = "", 0  # its first token, and where that is
    outer: list[tuple[list[Datum], str, int]] = []  # the same of those around it
    dots = 0  # that no list has taken yet
    datum: Datum
    for match in _TOKEN.finditer(source.text):
        kind = match.lastindex
        if kind is None:  # the end
            break
        at, end = match.span(kind)
        text = match[kind]
        if kind == _WORD:
            if text == "." and opening == "(":
                items.append(_DOT)
                dots += 1
                continue
            if text == ".":
                return None
            datum = word(text, text, Span(source, at, end))
        elif kind == _CLOSED:
            if _CLOSING.get(opening) != text:
                return None
            span = Span(source, start, end)
            if dots and len(items) > 2 and items[-2] is _DOT:
                datum = _dotted(items[:-2], items[-1], span)
                dots -= 1
            else:
                datum = _closed(opening, items, span)
            items, opening, start = outer.pop()
        elif kind == _STRING:
            datum = String(unescaped(text, source, at), Span(source, at - 1, end + 1))
        elif kind == _CHARACTER:
            datum = character(text, text, Span(source, at, end))
        elif kind in (_OPENING, _PREFIX):
            outer.append((items, opening, start))
            items, opening, start = [], text, at
            continue
        else:
            return None
        while opening in NAME_OF_PREFIX:
            datum = _prefixed(opening, start, datum)
            items, opening, start = outer.pop()
        items.append(datum)
    return None if outer or dots else items


def _closed(opening: str, items: list[Datum], span: Span) -> Datum:
    if opening == "(":
        return List(tuple(items), None, span)
    return (Vector if opening == "#(" else Brackets)(tuple(items), span)


def _dotted(items: list[Datum], tail: Datum, span: Span) -> List:
    """`(a . b)`; `(a . ,b)` is `(a unquote b)`."""
    if not isinstance(tail, List):
        return List(tuple(items), tail, span)
    if len(tail.items) > _MOST_JOINED:
        raise SyntaxFault("a chain of lists, whose items the grammar joins in linear time", span)
    return List((*items, *tail.items), tail.tail, span)


def _prefixed(prefix: str, start: int, datum: Datum) -> List:
    source = datum.span.source
    quote = Symbol(NAME_OF_PREFIX[prefix], Span(source, start, start + len(prefix)))
    return List((quote, datum), None, Span(source, start, datum.span.end))
