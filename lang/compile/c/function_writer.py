"""The writer of one C function: its lines, its names, and the labels of its failures.

The IR says at every operation that can fail which names the failure releases; they get a label.  A
name that a label releases must be declared at the top of the function; every other name is declared
where it is bound.  Which names labels release is known only at the end, so declarations stay
`Declaration`s until `text` writes the function.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum, auto

from lambent.lang.compile.c.c_constants import c_string
from lambent.lang.compile.c.cleanup import Chains
from lambent.lang.compile.c.emit_tables import (
    C_TYPES,
    Tables,
    is_cold,
    returns_status,
    signature,
)
from lambent.lang.compile.c.names import LocalScope, Scope
from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    DirectCall,
    DirectTailCall,
    Function,
    IndirectTailCall,
    Inlined,
    Loop,
    Operation,
    Representation,
)
from lambent.lang.compile.ir.operands import last_uses
from lambent.lang.compile.tensors.location_records import (
    may_create_tensors,
    records_location,
    takes_unknown_numbers,
)
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field

INDENT = "    "
_RESULT = re.compile(r"\bresult\b")
_DEEPEST = 20  # blocks that are indented


@dataclass(frozen=True, slots=True)
class Line:
    depth: int  # of blocks; 0 for labels
    text: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of a name.  value: None if it is assigned later."""

    depth: int
    name: str
    representation: Representation
    value: str | None


class Place(Enum):
    """Where an operation is that may fail, as traces see it.

    TAIL: in tail position of a local procedure that has become part of the function.  Like any tail
    call it has no frame: its location counts only if the error has none yet.
    LEFT: that of a library procedure, which has no frame either.
    GONE: a tail call of the function itself, which has no frame any more.
    """

    FRAME = auto()
    TAIL = auto()
    LEFT = auto()
    GONE = auto()

    @staticmethod
    def of(bind: Bind) -> "Place":
        if isinstance(bind.operation, DirectCall) and bind.operation.is_tail:
            return Place.GONE
        return Place.TAIL if bind.tail else Place.FRAME


def procedure_inside(
    inlined: Sequence[Inlined], depth: int, function: Function, is_main: bool
) -> str | None:
    """The name in traces of the procedure inside so many of the inlined ones of a function; None:
    the top level."""
    if depth:
        return inlined[depth - 1].lisp_name or "lambda"
    return None if is_main else function.lisp_name or "lambda"


def frames_at(
    span: Span, place: Place, inlined: Sequence[Inlined], procedure: Callable[[int], str | None]
) -> list[tuple[Span, str | None, bool]]:
    """The frames that a failure adds to the trace, the innermost first: the location, the name of
    the procedure inside so many inlined ones, and whether a tail call has left no frame."""
    frames = [(span, procedure(len(inlined)), place is Place.TAIL)]
    for depth in range(len(inlined) - 1, -1, -1):
        if inlined[depth].has_frame:
            frames.append((inlined[depth].call, procedure(depth), False))
    return frames[1 if place is Place.LEFT else 0 :]


def name_span(span: Span, primitive: Primitive) -> Span:
    """The span of the name at the head of a call; the given span if it is not such a call."""
    end = span.start + 1 + len(primitive.name)
    if span.text.startswith("(" + primitive.name):
        return Span(span.source, span.start + 1, end)
    return span


@dataclass(slots=True)
class Label:
    """A label, written only if something jumps to it."""

    name: str
    used: bool = False


@dataclass(slots=True)
class FunctionWriter:
    """used: the ANF names that the function reads.  lines: whether to write #line directives.
    masks_interrupts: Ctrl-C waits while its own code runs.  cold: it runs once, and has no loop."""

    tables: Tables
    function: Function
    used: frozenset[str]
    lines: bool
    masks_interrupts: bool = False
    body: list[Line | Declaration | Label] = field(default_factory=list)
    cleanup: tuple[str, ...] | None = None  # of what is being written, by ANF names
    cold: bool = field(init=False)
    chains: Chains = field(init=False)
    depth: int = 1
    inlined: list[Inlined] = field(default_factory=list)  # around what is being written
    names: LocalScope = field(default_factory=LocalScope)
    labels: Scope = field(default_factory=Scope)
    types: dict[str, Representation] = field(default_factory=dict)  # by ANF name
    constants: set[str] = field(default_factory=set)  # the ANF names that stand for constants
    _texts: dict[str, str] = field(default_factory=dict)  # ANF name -> C expression
    _last_uses: Mapping[str, int] = field(default_factory=dict)  # found when a label needs it
    _held: dict[str, str] = field(default_factory=dict)  # C name -> ANF name, of what is released

    def __post_init__(self) -> None:
        self.chains = Chains(self._last_use)
        self.cold = is_cold(self.tables, self.function)

    # Names.

    def operand(self, name: str) -> str:
        """The C expression for an ANF name."""
        return self._texts[name]

    def operands(self, names: Iterable[str]) -> list[str]:
        return [self._texts[name] for name in names]

    def define_constant(self, name: str, representation: Representation, text: str) -> None:
        """Define a name as a constant expression, which is not owned and has no variable."""
        self._texts[name] = text
        self.types[name] = representation
        self.constants.add(name)

    def enter(self, name: str, representation: Representation) -> str:
        """The C name for a new ANF name."""
        self.types[name] = representation
        self._texts[name] = self.names.local(name)
        return self._texts[name]

    @contextmanager
    def inside(self, inlined: tuple[Inlined, ...]) -> Iterator[None]:
        """Write what is inside of these procedures."""
        outside = len(self.inlined)
        self.inlined += inlined
        yield
        del self.inlined[outside:]

    # Lines.

    def write(self, text: str) -> None:
        self.body.append(Line(self.depth, text))

    def bind(
        self, name: str, representation: Representation, value: str | None, *, used: bool = False
    ) -> str:
        """Declare a name, with its value if it has one yet."""
        text = self.enter(name, representation)
        self.declare(text, representation, value)
        if not used and name not in self.used:
            self.write(f"(void){text};")
        return text

    def declare(self, text: str, representation: Representation, value: str | None) -> None:
        """Declare a C name that belongs to no ANF name."""
        self.body.append(Declaration(self.depth, text, representation, value))

    def release(self, name: str) -> None:
        """Release the value of a name, unless it is a constant."""
        if name not in self.constants:
            self.write(release(self.types[name], self._texts[name], cold=self.cold))

    def line_directive(self, span: Span) -> None:
        """Tell the C compiler and debuggers which Lisp line follows."""
        if self.lines and not span.source.library:
            self.body.append(Line(0, f"#line {span.line} {c_string(span.source.name)}"))

    def record_location(
        self, operation: Operation | DirectTailCall | IndirectTailCall, span: Span
    ) -> None:
        """Record the location of an operation that may create tensors, for reports, unless its C
        function does so."""
        if isinstance(operation, Apply) and records_location(operation):
            return
        if not may_create_tensors(operation, self.tables.creators, self.types):
            return
        number = self._location(span, len(self.inlined))
        if number is None:
            return
        unless = ""
        if isinstance(operation, Apply) and takes_unknown_numbers(operation, self.types):
            values = self.operands(operation.arguments)
            boxed = all(self.types[name] is Representation.VALUE for name in operation.arguments)
            if len(values) == 2 and boxed:  # the C compiler joins this test with the operation's
                both = f"rt_both_fixnums({values[0]}, {values[1]})"
                unless = f"if (RT_UNLIKELY(!{both})) "
        self._record(f"{unless}rt_here = &locations[{number}];")

    def recording(
        self, apply: Apply, span: Span, symbol: str, texts: list[str]
    ) -> tuple[str, list[str]]:
        """The C function of arithmetic, and its arguments: one that records the location, if the
        operation may create tensors."""
        if records_location(apply) and may_create_tensors(apply, self.tables.creators, self.types):
            number = self._location(span, len(self.inlined))
            if number is not None:
                return f"{symbol}_at", [*texts, f"&locations[{number}]"]
        return symbol, texts

    def record_call(self, loop: Loop) -> None:
        """Record the call of a copy of the library's, in which arithmetic may create tensors."""
        number = self._location(loop.span, len(self.inlined))
        if number is not None:
            self._record(f"rt_here = &locations[{number}];")

    def _record(self, text: str) -> None:
        """Write a record, unless the line before it is the same one."""
        if self.body[-1:] != [Line(self.depth, text)]:
            self.write(text)

    def _location(self, span: Span, depth: int) -> int | None:
        """The number of a location inside so many inlined procedures, if reports need it.

        In a copy of the library's it is that of the program's call.
        """
        while span.source.library and depth:
            depth -= 1
            span = self.inlined[depth].call
        if not self.tables.tensors or span.source.library:
            return None
        return self.tables.locations.number(span, self._procedure(depth))

    # Failure.

    def fail_if(self, test: str, span: Span | None, place: Place = Place.FRAME) -> None:
        """Leave the function if the test succeeds.  span: the location for traces, if any."""
        assert self.function.may_fail, f"{self.function.name} cannot fail, but for {test}"
        leave = f"goto {self._label()};"
        records = self.records(span, place)
        if records:
            self.write(f"if ({test}) {{ {' '.join(records)} {leave} }}")
        else:
            self.write(f"if ({test}) {leave}")

    def leave(self, span: Span | None) -> None:
        """Leave the function after an error."""
        for record in self.records(span):
            self.write(record)
        self.write(f"goto {self._label()};")

    def _label(self) -> str:
        """The label that releases the names of the cleanup."""
        assert self.cleanup is not None, self.function.name
        texts = self.operands(self.cleanup)
        for name, text in zip(self.cleanup, texts, strict=True):
            self._held.setdefault(text, name)
        return self.chains.label(texts)

    def _last_use(self, text: str) -> int:
        """The number of the last use of a name that is released, by its C name."""
        if not self._last_uses:
            self._last_uses = last_uses(self.function.body)
        return self._last_uses.get(self._held[text], 0)

    def records(self, span: Span | None, place: Place = Place.FRAME) -> list[str]:
        """The statements that add this function's frames to the trace, the innermost first.

        Local procedures that have become loops have frames, too; the library has none.
        """
        versions_have_it = self.function.fixnums is not None
        if span is None or place is Place.GONE or versions_have_it:
            return []
        recorded = [
            (self.tables.locations.number(location, name), is_tail)
            for location, name, is_tail in frames_at(span, place, self.inlined, self._procedure)
        ]
        return [
            f"{'rt_at_tail' if is_tail else 'rt_at'}(&locations[{number}]);"
            for number, is_tail in recorded
            if number is not None
        ]

    def _procedure(self, depth: int) -> str | None:
        """The name in traces of the procedure inside so many inlined ones; None: the top level."""
        is_main = self.tables.is_main(self.function.name)
        return procedure_inside(self.inlined, depth, self.function, is_main)

    def text(self, parameters: list[str]) -> Iterator[str]:
        """The whole C function."""
        yield signature(self.tables, self.function, parameters)
        yield "{"
        if self._ignores_result():
            yield f"{INDENT}(void)result;"
        yield from self._hoisted()
        for line in self.body:
            yield from self._written(line)
        for step in self.chains.steps():
            if step.label:
                yield f"{step.label}:"
            if step.release:
                representation = self.types[self._held[step.release]]
                yield f"{INDENT}{release(representation, step.release, cold=True)}"
            if step.jump:
                yield f"{INDENT}goto {step.jump};"
            if step.release is None:
                yield f"{INDENT}{self._failure()}"
        if not self._returns():
            yield f"{INDENT}{self._failure()}"
        yield "}"

    def _ignores_result(self) -> bool:
        """Whether it never comes to write the result that it should."""
        if not returns_status(self.function) or self.function.result is Representation.VOID:
            return False
        return not any(isinstance(line, Line) and _RESULT.search(line.text) for line in self.body)

    def _returns(self) -> bool:
        """Whether there is a return; C compilers demand one even after an endless loop."""
        if self.function.result is Representation.VOID or any(self.chains.steps()):
            return True
        return any(isinstance(line, Line) and line.text.startswith("return") for line in self.body)

    def _is_hoisted(self, declaration: Declaration) -> bool:
        return declaration.depth > 1 and declaration.name in self.chains.names

    def _hoisted(self) -> Iterator[str]:
        """The declarations of names that labels release and inner blocks bind, a line for each
        type."""
        by_type: dict[Representation, list[str]] = {}
        for line in self.body:
            if isinstance(line, Declaration) and self._is_hoisted(line):
                by_type.setdefault(line.representation, []).append(line.name)
        for representation, names in by_type.items():
            separator = ", *" if C_TYPES[representation].endswith("*") else ", "
            yield f"{INDENT}{C_TYPES[representation]}{separator.join(names)};"

    def _written(self, line: Line | Declaration | Label) -> Iterator[str]:
        match line:
            case Line(depth, text):
                yield _indent(depth) + text
            case Label(name, used):
                if used:
                    yield f"{name}:;"
            case Declaration(depth, name, representation, value):
                if not self._is_hoisted(line):
                    end = ";" if value is None else f" = {value};"
                    yield f"{_indent(depth)}{C_TYPES[representation]}{name}{end}"
                elif value is not None:
                    yield f"{_indent(depth)}{name} = {value};"

    def _failure(self) -> str:
        match self.function.result:
            case Representation.VALUE:
                return "return RT_ERROR;"
            case Representation.NUMBER:
                return "return rt_number_of(RT_ERROR);"
            case Representation.TENSOR:
                return "return NULL;"
            case _:
                return "return 1;"


def _indent(depth: int) -> str:
    """The indentation of a line, which is limited: blocks may nest a thousand deep."""
    return INDENT * min(depth, _DEEPEST)


def release(representation: Representation, text: str, *, cold: bool = False) -> str:
    """The statement that releases a value.

    cold: it runs at most once, or after a failure, so a call is better than inline code.
    """
    free = "rt_free_cold" if cold else "rt_free"
    match representation:
        case Representation.VALUE:
            return f"{free}({text});"
        case Representation.NUMBER:
            return f"{free}({text}.value);"
        case Representation.TENSOR:
            return f"ct_free({text});"
        case Representation.GRAD_MODE:
            return f"ct_set_grad_mode({text});"
    raise AssertionError(representation)
