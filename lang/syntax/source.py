"""Source texts and the locations in them.

Every datum, every Core node and every run-time error has a `Span`: a range of characters of one
`Source`.  Lines and columns are counted from 1, columns in characters.

    Span(source, 10, 13).location  =>  "demo.lisp:2:3"
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Source:
    """One text that programs are read from.

    A byte order mark at the start of the file is not part of the text.
    name is what messages show: the path as the user gave it, `repl` or `stdin`.
    first_line is the number of the text's first line: a REPL continues it from entry to entry.
    library: it belongs to the library, whose frames traces leave out.
    dialect: "lispe" if it is read as LispE, whether or not it has a `use` form itself.
    """

    name: str
    text: str = field(repr=False)
    first_line: int = 1
    library: bool = False
    dialect: str = ""

    def __post_init__(self) -> None:
        if self.text.startswith(_BYTE_ORDER_MARK):
            object.__setattr__(self, "text", self.text[len(_BYTE_ORDER_MARK) :])

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins."""
        return [0, *[end.end() for end in re.finditer("\n", self.text)]]

    def line_index(self, offset: int) -> int:
        """The index, from 0, of the line that holds the character at offset."""
        return bisect_right(self.line_starts, offset) - 1

    def line_text(self, index: int) -> str:
        """The line at an index from 0, without its line end."""
        return self.text[self.line_starts[index] : self.line_end(index)]

    def line_end(self, index: int) -> int:
        """The offset after the last character of a line, without its line end."""
        is_last = index + 1 == len(self.line_starts)
        end = len(self.text) if is_last else self.line_starts[index + 1] - 1
        while end > self.line_starts[index] and self.text[end - 1] == "\r":
            end -= 1
        return end


@dataclass(frozen=True, slots=True)
class Expansion:
    """The use of a macro that put a datum into a program.

    macro is None for macros that messages do not name.  outer: the expansion that contains the use.
    """

    macro: str | None
    outer: "Expansion | None" = None
    depth: int = 1  # the number of nested uses


@dataclass(frozen=True, slots=True)
class Span:
    """The characters start (included) to end (excluded) of a source.

    A datum from a macro's template has the span of the macro's use; within is that expansion.
    """

    source: Source = field(repr=False)
    start: int
    end: int
    within: Expansion | None = field(default=None, repr=False)

    @property
    def line(self) -> int:
        return self.source.line_index(self.start) + self.source.first_line

    @property
    def column(self) -> int:
        return self.start - self.source.line_starts[self.source.line_index(self.start)] + 1

    @property
    def width(self) -> int:
        """How many characters of the span are on its first line; at least 1."""
        line_end = self.source.line_end(self.source.line_index(self.start))
        return max(1, min(self.end, line_end) - self.start)

    @property
    def line_text(self) -> str:
        """The line on which the span begins."""
        return self.source.line_text(self.source.line_index(self.start))

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def location(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"

    def to(self, last: "Span") -> "Span":
        """The span from the start of this one to the end of another."""
        return Span(self.source, self.start, last.end, self.within)

    def expanded_by(self, macro: str | None) -> "Span":
        """The span of data that a macro substitutes for a use with this span."""
        depth = self.within.depth + 1 if self.within else 1
        return Span(self.source, self.start, self.end, Expansion(macro, self.within, depth))

    @property
    def macros(self) -> tuple[str, ...]:
        """The macros, innermost first, that messages about this span name."""
        names: list[str] = []
        expansion = self.within
        while expansion is not None:
            if expansion.macro is not None:
                names.append(expansion.macro)
            expansion = expansion.outer
        return tuple(names)

    def within_macros(self, names: Sequence[str]) -> "Span":
        """The span with the given names as its `macros`."""
        span = self
        for name in reversed(names):
            span = span.expanded_by(name)
        return span


class LabelledSpan(Span):
    """The span of a datum with a label: all its occurrences are one object."""

    __slots__ = ()
