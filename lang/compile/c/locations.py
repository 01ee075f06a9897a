"""The table of source locations that error messages and traces of an executable show.

The emitter numbers the locations of operations that can fail.  Traces show no frames of the
library, so its locations are not kept.

    car at demo.lisp:3:7 in f
    =>  /* 0 */ {.file = "demo.lisp", .line = 3, .column = 7, .width = 7, .one_line = true,
                 .text = "  (car x)", .in = "f"},
"""

from collections.abc import Iterator

from lambent.lang.compile.c.c_constants import c_boolean, c_string, c_struct
from lambent.lang.errors import expansion_lines
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field


@dataclass(slots=True)
class Locations:
    """All locations asked for so far, each once."""

    _rows: dict[str, int] = field(default_factory=dict)
    # The answers by the identity of the span, which they keep alive: operations share spans.
    _numbers: dict[tuple[int, str | None], tuple[Span, int]] = field(default_factory=dict)

    def number(self, span: Span, procedure: str | None) -> int | None:
        """The index of a location in the table; None for one in the library."""
        if span.source.library:
            return None
        known = self._numbers.get((id(span), procedure))
        if known is None:
            number = self._rows.setdefault(_row(span, procedure), len(self._rows))
            known = self._numbers[id(span), procedure] = span, number
        return known[1]

    def table(self) -> Iterator[str]:
        """The C text of the table; nothing if it is empty."""
        if not self._rows:
            return
        yield "static const rt_location locations[] = {"
        for row, index in self._rows.items():
            yield f"    /* {index} */ {row},"
        yield "};"


def _row(span: Span, procedure: str | None) -> str:
    lines = expansion_lines(span.macros)
    fields = {
        "file": c_string(span.source.name),
        "line": str(span.line),
        "column": str(span.column),
        "width": str(span.width),
        "one_line": c_boolean(span.end - span.start <= span.width),
        "text": c_string(span.line_text),
        "in": "NULL" if procedure is None else c_string(procedure),
        "expansion": c_string("".join(f"\n{line}" for line in lines)) if lines else "NULL",
    }
    return c_struct(**fields)
