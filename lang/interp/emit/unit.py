"""Code units: the code of one compilation, and the meaning of its line numbers.

Every node of emitted Python code has a line number that is not a line, but an index into the unit's
table of locations.  So a traceback says exactly which form failed, which procedure contains it, and
what the operation was.

    tb_lineno 17  =>  locations[17] == (source, 120, 127, procedure 3, "prim", "car")

Every start loads this module, so its classes are plain: `dataclasses` takes long to load.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType

    from lambent.lang.interp.errors.location import Location
    from lambent.lang.interp.values.procedure_facts import ProcedureFacts

# The kinds of locations, each with its detail:
PLAIN = "plain"  # nothing that fails by itself; None
PRIM = "prim"  # an inlined or called primitive; its Lisp name
CALL = "call"  # a call: (where the callee is, how many arguments or where their tuple is)
TAIL_CALL = "tail call"  # a call in tail position, whose frame traces do not show; as CALL
VARIABLE = "variable"  # the value of a top-level variable; its Lisp name, and a hint or None
BIND = "bind"  # binding a call's arguments: errors are the caller's; None
HIDDEN = "hidden"  # nothing that a trace shows; None
LAMBDA = "lambda"  # the start of a procedure; the index of the procedure


class Tables:
    """The locations, procedures and sources of a unit, marshalled: read when an error needs them.

    name: the name of the program's own file in this run, if it may differ from the name at the time
    of compilation.  alive: the code objects that still exist, where `unit_lifetime.py` counts them.
    """

    __slots__ = ("_known", "_loaded", "_name", "alive", "data")

    def __init__(self, data: bytes, name: str | None = None) -> None:
        self.data = data
        self.alive: dict[int, Any] = {}
        self._name = name
        self._known: dict[int, Location] = {}  # errors that a loop catches have few locations
        self._loaded: tuple[list[Any], list[Any], list[Any]] | None = None

    def location(self, number: int) -> "Location":
        location = self._known.get(number)
        if location is None:
            location = self._known[number] = self._read_location(number)
        return location

    def _read_location(self, number: int) -> "Location":
        from lambent.lang.interp.errors.location import Location
        from lambent.lang.syntax.source import Span

        locations, procedures, sources = self._read()
        source, start, end, macros, procedure, kind, detail = locations[number]
        name = None if procedure is None else procedures[procedure][0]
        span = Span(sources[source], start, end).within_macros(macros)
        return Location(span, name, kind, detail)

    def procedure(self, number: int) -> "ProcedureFacts":
        """The facts of the procedure whose code begins at a location."""
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

    key: co_filename of its code objects.  builtin_modules: the modules that hold its builtins, by
    the names of their global variables.  trampolined: its known top-level procedures, and whether a
    call of each may return TAIL.
    """

    __slots__ = ("builtin_modules", "code", "key", "tables", "trampolined")

    def __init__(
        self,
        key: str,
        code: "CodeType",
        builtin_modules: dict[str, str],
        trampolined: dict[str, bool],
        tables: Tables,
    ) -> None:
        self.key = key
        self.code = code
        self.builtin_modules = builtin_modules
        self.trampolined = trampolined
        self.tables = tables


# The tables of every unit whose code may run, by the co_filename of its code objects.  The units of
# a world are removed when their code is freed: see `unit_lifetime.py`.
UNITS: dict[str, Tables] = {}
