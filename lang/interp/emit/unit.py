"""Code units: code of one compilation, and what stands behind its line numbers.

The evaluator gives every node of the Python code that it emits a line number that is no line: it is
an index into the unit's table of places.  A traceback thus says exactly which form failed, which
procedure holds it, and what the evaluator knew about the operation.

    tb_lineno 17  =>  places[17] == (source, 120, 127, procedure 3, "prim", "car")

Every start comes this way, so the classes are plain ones: `dataclasses` takes long to load.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType

    from lambent.lang.interp.errors.location import Location
    from lambent.lang.interp.values.procedure_facts import ProcedureFacts

# What may stand at a place, with what goes with it:
PLAIN = "plain"  # nothing that fails by itself; None
PRIM = "prim"  # an inlined or called primitive; its Lisp name
CALL = "call"  # a call: (where the callee is, how many arguments or where their tuple is)
TAIL_CALL = "tail call"  # the same in tail position: its frame does not show in traces
VARIABLE = "variable"  # the value of a top-level variable; its Lisp name, and a near one or None
BIND = "bind"  # sorting out a call's arguments: mistakes are the caller's; None
HIDDEN = "hidden"  # nothing that a trace shows; None
LAMBDA = "lambda"  # a procedure's own place; the index of the procedure


class Tables:
    """The places, procedures and sources of a unit, marshalled: read when an error needs them.

    name: what messages call the program's own file in this run, if it may be another one than when
    the unit was made.  alive: the code that is left, where `open_units.py` counts it.
    """

    __slots__ = ("_loaded", "_name", "alive", "data")

    def __init__(self, data: bytes, name: str | None = None) -> None:
        self.data = data
        self.alive: dict[int, Any] = {}
        self._name = name
        self._loaded: tuple[list[Any], list[Any], list[Any]] | None = None

    def location(self, number: int) -> "Location":
        from lambent.lang.interp.errors.location import Location
        from lambent.lang.syntax.source import Span

        locations, procedures, sources = self._read()
        source, start, end, macros, procedure, kind, detail = locations[number]
        name = None if procedure is None else procedures[procedure][0]
        span = Span(sources[source], start, end).within_macros(macros)
        return Location(span, name, kind, detail)

    def procedure(self, number: int) -> "ProcedureFacts":
        """The facts of the procedure whose code begins at a place."""
        from lambent.lang.interp.values.procedure_facts import ProcedureFacts

        locations, procedures, _ = self._read()
        return ProcedureFacts(*procedures[locations[number][6]])

    def _read(self) -> tuple[list[Any], list[Any], list[Any]]:
        if self._loaded is None:
            import marshal

            from lambent.lang.syntax.source import Source

            locations, procedures, sources, program = marshal.loads(self.data)
            self._loaded = locations, procedures, [
                Source(self._name or name if name == program else name, text, first, library)
                for name, text, first, library in sources
            ]
        return self._loaded


class CodeUnit:
    """Code of one compilation.

    key: co_filename of its code objects.  homes: the modules that hold its builtins, by the names
    of their global variables.  bounces: its known top-level procedures, and whether a call of each
    may give TAIL.
    """

    __slots__ = ("bounces", "code", "homes", "key", "tables")

    def __init__(
        self,
        key: str,
        code: "CodeType",
        homes: dict[str, str],
        bounces: dict[str, bool],
        tables: Tables,
    ) -> None:
        self.key = key
        self.code = code
        self.homes = homes
        self.bounces = bounces
        self.tables = tables


# The tables of every unit whose code may run, by the name in its code objects.  Those of worlds
# that stay open go with their code: see `open_units.py`.
UNITS: dict[str, Tables] = {}
