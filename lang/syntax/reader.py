"""Text to data: the first pass.

    read(Source("demo.lisp", "(f 'x) ; why"))  =>  [List(Symbol f, List(Symbol quote, Symbol x))]

The grammar is in `grammar.lark`; Lark calls `_Builder` while it parses, so nesting costs no stack.
A mistake in the text is a `SyntaxFault` with a location.  A text that ends too early is an
`IncompleteInput`, for which a REPL asks for another line.  Texts without rare syntax and mistakes
are read by `plain_reader.py`, which is faster.  LispE programs have their own reader.
"""

import re
import threading
from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from lambent.lang.errors import IncompleteInput, SyntaxFault
from lambent.lang.syntax.atoms import character, unescaped, word
from lambent.lang.syntax.datum import (
    Brackets,
    Bytes,
    Character,
    Datum,
    Labelled,
    List,
    Number,
    Reference,
    String,
    Symbol,
    Vector,
)
from lambent.lang.syntax.labels import resolve_labels
from lambent.lang.syntax.lispe_reader import is_lispe, read_lispe
from lambent.lang.syntax.plain_reader import read_plain
from lambent.lang.syntax.source import Source, Span
from lambent.lang.syntax.text import NAME_OF_PREFIX, to_text

if TYPE_CHECKING:
    # Lark takes 50 ms to import, and a script whose code is cached never reads.
    from lark import Lark, Token
    from lark.exceptions import UnexpectedToken

_PREFIXES = ("PREFIX", "SKIP", "LABEL")
_OPENING = ("LPAR", "LBRACKET", "VECTOR", "BYTES", *_PREFIXES)
_GREATEST_BYTE = 255


def read(source: Source, folds_case: bool = False) -> list[Datum]:
    """All data of a source, in order.  folds_case: as if the text began with `#!fold-case`."""
    if folds_case:
        return read_by_grammar(source, folds_case)
    if source.dialect == "lispe" or is_lispe(source.text):
        return read_lispe(source)
    data = read_plain(source)
    return read_by_grammar(source) if data is None else data


def read_by_grammar(source: Source, folds_case: bool = False) -> list[Datum]:
    """All data of a source that is not LispE, in order, or its error."""
    from lark.exceptions import UnexpectedToken

    text, directives = _blanked(source)
    with _lock:
        _builder.begin(source, [(-1, True), *directives] if folds_case else directives)
        try:
            parsed: Any = _parser().parse(text)
        except UnexpectedToken as error:
            _report(error, source)
        has_labels = _builder.has_labels
    data: list[Datum] = parsed
    return [resolve_labels(datum) for datum in data] if has_labels else data


@cache
def _parser() -> "Lark":
    from lark import Lark

    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    # Lark calls the methods of anything that is given as transformer.
    return Lark(grammar, parser="lalr", transformer=_builder)


class _Skipped:
    """The placeholder for a datum after `#;`."""


class _Chain:
    """A list whose tail is a list or another chain: `(a . (b . (c)))`, which is (a b c).

    Its items are joined once, when the start of the chain is known.
    """

    def __init__(self, items: tuple[Datum, ...], tail: "List | _Chain", span: Span) -> None:
        self.items = items
        self.tail = tail
        self.span = span

    def list(self) -> List:
        items = [*self.items]
        node = self.tail
        while isinstance(node, _Chain):
            items += node.items
            node = node.tail
        return List((*items, *node.items), node.tail, self.span)


class _Builder:
    """Builds data from the parser's results.  Each method is named after a rule or its alias."""

    source: Source
    directives: "list[tuple[int, bool]]"  # (offset, whether words are folded from there on)
    has_labels: bool

    def begin(self, source: Source, directives: "list[tuple[int, bool]]") -> None:
        self.source = source
        self.directives = directives
        self.has_labels = False

    def start(self, items: list[Any]) -> list[Datum]:
        return self._without_dots(items)

    def parenthesized(self, parts: list[Any]) -> "List | _Chain":
        span = self._span(parts[0], parts[-1])
        inner = [part for part in parts[1:-1] if part.__class__ is not _Skipped]
        dots = [i for i, part in enumerate(inner) if _is_dot(part)]
        if not dots:
            return List(_settled(inner), None, span)
        if dots[0] == 0 or dots[0] != len(inner) - 2:
            misplaced = inner[dots[-1] if len(dots) > 1 else dots[0]]
            raise self._unexpected_dot(misplaced)
        items, tail = _settled(inner[:-2]), inner[-1]
        if isinstance(tail, List | _Chain):  # (a . (b c)) is (a b c)
            return _Chain(items, tail, span)
        return List(items, tail, span)

    def brackets(self, parts: list[Any]) -> Brackets:
        return Brackets(tuple(self._without_dots(parts[1:-1])), self._span(parts[0], parts[-1]))

    def vector(self, parts: list[Any]) -> Vector:
        return Vector(tuple(self._without_dots(parts[1:-1])), self._span(parts[0], parts[-1]))

    def bytes(self, parts: list[Any]) -> Bytes:
        items = self._without_dots(parts[1:-1])
        return Bytes(bytes(map(_byte, items)), self._span(parts[0], parts[-1]))

    def prefixed(self, parts: list[Any]) -> List:
        prefix, (datum,) = parts[0], _settled(parts[-1:])
        quote = Symbol(NAME_OF_PREFIX[prefix], self._span(prefix))
        return List((quote, datum), None, Span(self.source, prefix.start_pos, datum.span.end))

    def labelled(self, parts: list[Any]) -> Labelled:
        label, (datum,) = parts[0], _settled(parts[-1:])
        self.has_labels = True
        return Labelled(int(label[1:-1]), datum, Span(self.source, label.start_pos, datum.span.end))

    def reference(self, parts: "list[Token]") -> Reference:
        self.has_labels = True
        return Reference(int(parts[0][1:-1]), self._span(parts[0]))

    def skipped(self, parts: list[Any]) -> _Skipped:
        return _Skipped()

    def string(self, parts: "list[Token]") -> String:
        return String(self._unescaped(parts[0]), self._span(parts[0]))

    def barred(self, parts: "list[Token]") -> Symbol:
        return Symbol(self._unescaped(parts[0]), self._span(parts[0]))

    def character(self, parts: "list[Token]") -> Character:
        token = parts[0]
        return character(token, self._folded(token), self._span(token))

    def word(self, parts: "list[Token]") -> Datum:
        token = parts[0]
        if token == ".":  # after a prefix; elsewhere the grammar matches it
            raise self._unexpected_dot(token)
        return word(str(token), self._folded(token), self._span(token))

    def _folded(self, token: "Token") -> str:
        """The word, folded if the last directive before it is `#!fold-case`."""
        at = bisect_right(self.directives, (token.start_pos or 0, True))
        return token.casefold() if at and self.directives[at - 1][1] else str(token)

    def _unescaped(self, token: "Token") -> str:
        return unescaped(token[1:-1], self.source, (token.start_pos or 0) + 1)

    def unclosed(self, parts: "list[Token]") -> NoReturn:
        token = parts[0]
        location = Span(self.source, token.start_pos or 0, (token.start_pos or 0) + 1)
        raise IncompleteInput(f"unclosed {token[0]}", location)

    def _without_dots(self, parts: list[Any]) -> list[Datum]:
        for part in parts:
            if _is_dot(part):
                raise self._unexpected_dot(part)
        return list(_settled([part for part in parts if part.__class__ is not _Skipped]))

    def _unexpected_dot(self, dot: "Token") -> SyntaxFault:
        return SyntaxFault("unexpected .", self._span(dot), "a list may end in one: (a . b)")

    def _span(self, first: "Token", last: "Token | None" = None) -> Span:
        end = (last or first).end_pos
        assert first.start_pos is not None and end is not None, first
        return Span(self.source, first.start_pos, end)

_builder = _Builder()
_lock = threading.Lock()  # the only parser's builder handles one source at a time


def _settled(parts: list[Any]) -> tuple[Any, ...]:
    return tuple([part.list() if part.__class__ is _Chain else part for part in parts])


def _is_dot(part: object) -> bool:
    return getattr(part, "type", None) == "DOT"


def _byte(datum: Datum) -> int:
    match datum:
        case Number(int(value)) if 0 <= value <= _GREATEST_BYTE:
            return value
        case List((_, *_)) | Vector() | Brackets() | Labelled() | Reference():
            raise SyntaxFault("not a byte", datum.span)
    raise SyntaxFault(f"not a byte: {to_text(datum)}", datum.span)


# Nested comments and directives, and all tokens that may contain text that looks like them.
_IN_WORD = r"""[^()\[\]"';`,|\x00-\x20\x7f]"""
_TOKEN = re.compile(
    rf"""
    "(?:[^"\\]|\\[\s\S])*" | \|(?:[^|\\]|\\[\s\S])*\| | ;[^\r\n]* | \#; | \#\\[\s\S]{_IN_WORD}*
    | \#[0-9]{{1,18}}[=#] | (?P<comment>\#\|) | (?P<directive>\#!(?:no-)?fold-case(?!{_IN_WORD}))
    | ,@ | {_IN_WORD}+ | (?P<unclosed>["|])
    """,
    re.VERBOSE,
)
_INSIDE_COMMENT = re.compile(r"#\||\|#")
_NOT_LINE_END = re.compile(r"[^\n]")


def _blanked(source: Source) -> tuple[str, list[tuple[int, bool]]]:
    """The text with blanks for `#| ... |#`, directives, and a first line that begins with `#!/`.

    Also the offsets of the directives, and whether they are `#!fold-case`.
    """
    text = source.text
    if text.startswith(("#!/", "#! ")):
        end = (text + "\n").index("\n")
        text = " " * end + text[end:]
    if "#|" not in text and "#!" not in text:
        return text, []
    pieces: list[str] = []
    directives: list[tuple[int, bool]] = []
    done = position = 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        if match["unclosed"]:
            break
        if match["comment"]:
            position = _comment_end(text, match.start(), source)
        elif match["directive"]:
            directives.append((match.start(), match[0] == "#!fold-case"))
        else:
            continue
        blanks = _NOT_LINE_END.sub(" ", text[match.start() : position])
        pieces += [text[done : match.start()], blanks]
        done = position
    return "".join([*pieces, text[done:]]), directives


def _comment_end(text: str, start: int, source: Source) -> int:
    depth = 0
    for match in _INSIDE_COMMENT.finditer(text, start):
        depth += 1 if match[0] == "#|" else -1
        if depth == 0:
            return match.end()
    raise IncompleteInput("unclosed #|", Span(source, start, start + 2))


def _report(error: "UnexpectedToken", source: Source) -> NoReturn:
    """Report an unexpected token of Lark's in the user's terms."""
    from lark import Token

    unexpected: Any = error.token
    waiting = [
        token
        for token in error.interactive_parser.parser_state.value_stack
        if isinstance(token, Token) and token.type in _OPENING
    ]
    innermost = waiting[-1] if waiting else None
    at_end = unexpected.type == "$END"
    if innermost is None:
        span = Span(source, unexpected.start_pos, unexpected.end_pos)
        raise SyntaxFault(f"unexpected {unexpected}", span)
    location = Span(source, innermost.start_pos or 0, innermost.end_pos or 0)
    if innermost.type in _PREFIXES:
        fault = IncompleteInput if at_end else SyntaxFault
        quotes = innermost == "'" and source.text[location.start - 1 : location.start].isalnum()
        hint = "a string stands in double quotes, as \"a\"" if quotes else None
        raise fault(f"nothing follows {innermost}", location, hint)
    if at_end:
        raise IncompleteInput(f"unclosed {innermost}", location)
    raise SyntaxFault(
        f"{innermost} opened at {location.line}:{location.column} is closed by {unexpected}",
        Span(source, unexpected.start_pos, unexpected.end_pos),
    )
