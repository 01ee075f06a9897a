"""The table of locations of a unit that is being emitted (`unit.py` explains it)."""

import marshal
from typing import Any

from lambent.lang.core.ir import Lambda
from lambent.lang.core.usage import usage
from lambent.lang.interp.emit.unit import LAMBDA, PLAIN
from lambent.lang.syntax.source import Source, Span

# Source, start and end; the macros whose expansion it is in; procedure, kind and detail.
_Entry = tuple[int, int, int, tuple[str, ...], int | None, str, Any]


class LocationTable:
    """Numbers locations from 1: CPython takes line 0 for no line."""

    def __init__(self, within: str | None = None) -> None:
        """within: what traces call the top level."""
        self._sources: list[Source] = []
        self._source_numbers: dict[int, int] = {}
        self._locations: list[_Entry] = []
        self._procedures: list[tuple[str | None, int, int | None, str, str | None]] = []
        self._numbers: dict[_Entry, int] = {}
        self._inside: int | None = None  # the procedure being emitted
        if within is not None:
            self._procedures.append((within, 0, None, "", None))
            self._inside = 0

    def add(self, span: Span, kind: str = PLAIN, detail: Any = None) -> int:
        source = self._source_numbers.get(id(span.source))
        if source is None:
            source = self._new_source(span.source)
        macros = span.macros if span.within else ()
        entry = (source, span.start, span.end, macros, self._inside, kind, detail)
        number = self._numbers.get(entry)
        if number is None:
            self._locations.append(entry)
            number = self._numbers[entry] = len(self._locations)
        return number

    def enter(self, code: Lambda) -> tuple[int | None, int]:
        """Begin a procedure.  Returns the argument for `leave`, and the number of its location."""
        outside = self._inside
        facts = _facts(code)
        if code.is_form_body and outside is not None:
            facts = (self._procedures[outside][0], *facts[1:])
        self._procedures.append(facts)
        self._inside = len(self._procedures) - 1
        return outside, self.add(code.span, LAMBDA, self._inside)

    def leave(self, outside: int | None) -> None:
        self._inside = outside

    def usage_here(self) -> str:
        """The usage of the procedure being emitted."""
        assert self._inside is not None
        return self._procedures[self._inside][3]

    def marshalled(self, program: str | None = None) -> bytes:
        """The tables.  program: the source whose name may differ in other runs."""
        sources = [(s.name, s.text, s.first_line, s.library) for s in self._sources]
        return marshal.dumps(([None, *self._locations], self._procedures, sources, program))

    def _new_source(self, source: Source) -> int:
        self._sources.append(source)
        number = self._source_numbers[id(source)] = len(self._sources) - 1
        return number


def _facts(code: Lambda) -> tuple[str | None, int, int | None, str, str | None]:
    least = len(code.parameters)
    return code.name, least, None if code.rest else least, usage(code), code.doc
