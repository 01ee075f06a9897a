"""Code units: what stands behind the line numbers of emitted code.

The evaluator gives every node of the Python code that it emits a line number that is no line: it is
an index into the unit's table of places.  A traceback thus says exactly which form failed, which
procedure holds it, and what the evaluator knew about the operation.

    tb_lineno 17  =>  places[17] == (source, 120, 127, procedure 3, "prim", "car")
"""

import marshal
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from lambent.lang.syntax.source import Source, Span

# What may stand at a place, with what goes with it:
PLAIN = "plain"  # nothing that fails by itself; None
PRIM = "prim"  # an inlined or called primitive; its Lisp name
CALL = "call"  # a call: (where the callee is, how many arguments or where their tuple is)
TAIL_CALL = "tail call"  # the same in tail position: its frame does not show in traces
VARIABLE = "variable"  # the value of a top-level variable; its Lisp name, and a near one or None
BIND = "bind"  # sorting out a call's arguments: mistakes are the caller's; None
HIDDEN = "hidden"  # nothing that a trace shows; None
LAMBDA = "lambda"  # a procedure's own place; the index of the procedure

# Where a value is found in a frame: its globals or its locals, and the name there.
Where = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ProcedureFacts:
    """What messages say about a procedure of Lisp.  most is None if there is no bound."""

    name: str | None
    least: int
    most: int | None
    usage: str
    doc: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    span: Span
    procedure: str | None  # the Lisp name of the procedure that holds it; None for anonymous ones
    kind: str
    detail: Any


@dataclass
class CodeUnit:
    """Code of one compilation.  Everything in it but `name` can be kept on disk.

    builtins: the names of the global variables that must be there before the code runs.
    """

    key: str  # co_filename of its code objects
    code: CodeType
    builtins: tuple[str, ...]
    bounces: dict[str, bool]  # its known top-level procedures: whether a call may give TAIL
    tables: bytes  # marshalled sources, places and procedures: read when an error needs them
    name: str | None = None  # of the program's source, where it may differ from run to run
    _loaded: tuple[list[Any], list[Any], list[Source]] | None = field(default=None, repr=False)

    def place(self, number: int) -> Place:
        places, procedures, sources = self._tables()
        source, start, end, procedure, kind, detail = places[number]
        name = None if procedure is None else procedures[procedure][0]
        return Place(Span(sources[source], start, end), name, kind, detail)

    def procedure(self, number: int) -> ProcedureFacts:
        """The facts of the procedure whose code begins at a place."""
        places, procedures, _ = self._tables()
        return ProcedureFacts(*procedures[places[number][5]])

    def _tables(self) -> tuple[list[Any], list[Any], list[Source]]:
        if self._loaded is None:
            places, procedures, sources = marshal.loads(self.tables)
            self._loaded = places, procedures, [
                Source(name if library or self.name is None else self.name, text, first, library)
                for name, text, first, library in sources
            ]
        return self._loaded


# Every unit whose code may run, by the name in its code objects.
UNITS: dict[str, CodeUnit] = {}
