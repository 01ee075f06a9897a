"""The table of source locations that error messages and traces of an executable show.

The emitter numbers the locations of operations that can fail.  Traces show no frames of the
library, so its locations are not kept.

    car at demo.lisp:3:7 in f
    =>  /* 0 */ {.file = "demo.lisp", .line = 3, .column = 7, .width = 7, .one_line = true,
                 .text = "  (car x)", .in = "f"},

A line that is long may have very many of them, so its text is written once, before the table.
"""

from collections.abc import Iterator

from lambent.lang.compile.c.c_constants import c_boolean, c_string, c_struct
from lambent.lang.errors import expansion_lines
from lambent.lang.syntax.source import Source, Span
from lambent.lang.system.dataclass import dataclass, field

_LONG_LINE = 120  # characters


@dataclass(slots=True)
class Locations:
    """All locations asked for so far, each once."""

    _rows: dict[str, int] = field(default_factory=dict)
    # The answers by the identity of the span, which they keep alive: operations share spans.
    _numbers: dict[tuple[int, str | None], tuple[Span, int]] = field(default_factory=dict)
    # The texts of lines by the identity of their source, which they keep alive, and their index.
    _lines: dict[tuple[int, int], tuple[Source, str]] = field(default_factory=dict)
    _long_lines: dict[str, str] = field(default_factory=dict)  # C text -> the name of its array

    def number(self, span: Span, procedure: str | None) -> int | None:
        """The index of a location in the table; None for one in the library."""
        if span.source.library:
            return None
        known = self._numbers.get((id(span), procedure))
        if known is None:
            row = _row(span, procedure, self._line(span))
            number = self._rows.setdefault(row, len(self._rows))
            known = self._numbers[id(span), procedure] = span, number
        return known[1]

    def _line(self, span: Span) -> str:
        """The C text of a span's line."""
        source, index = span.source, span.source.line_index(span.start)
        known = self._lines.get((id(source), index))
        if known is None:
            text = c_string(source.line_text(index))
            if source.line_end(index) - source.line_starts[index] > _LONG_LINE:
                text = self._long_lines.setdefault(text, f"source_line_{len(self._long_lines)}")
            known = self._lines[id(source), index] = source, text
        return known[1]

    def table(self) -> Iterator[str]:
        """The C text of the table; nothing if it is empty."""
        if not self._rows:
            return
        for text, name in self._long_lines.items():
            # Before the declaration, because clang does not take it before an array's initializer.
            literal = text.removeprefix("__extension__ ")
            yield f"__extension__ static const char {name}[] = {literal};"
        yield "static const rt_location locations[] = {"
        for row, index in self._rows.items():
            yield f"    /* {index} */ {row},"
        yield "};"


def _row(span: Span, procedure: str | None, line: str) -> str:
    lines = expansion_lines(span.macros)
    fields = {
        "file": c_string(span.source.name),
        "line": str(span.line),
        "column": str(span.column),
        "width": str(span.width),
        "one_line": c_boolean(span.end - span.start <= span.width),
        "text": line,
        "in": "NULL" if procedure is None else c_string(procedure),
        "expansion": c_string("".join(f"\n{each}" for each in lines)) if lines else "NULL",
    }
    return c_struct(**fields)
