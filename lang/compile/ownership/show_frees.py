"""A program's text with a note where each tensor is freed: `lambent show frees FILE`.

What may hold a tensor has notes, too (`tensor_flow.py`).  With `--all`, so do all other values on
the heap: large numbers, strings, lists of numbers.

    (let ((h (tensor-relu (@ x w))))
    ;        ^ frees (@ x w)
      (train h))
    ; ^ hands over h

The caret is under the call after which the tensor is freed.  A branch that does not use a tensor
frees it first.  A call that is the last use of a variable takes its value over, and frees it after
the last use there.  A tensor that a procedure returns or a loop passes on has no note.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Convert,
    DirectCall,
    DirectTailCall,
    Dup,
    Free,
    Function,
    If,
    IndirectCall,
    IndirectTailCall,
    Loop,
    Representation,
    Statement,
)
from lambent.lang.compile.ir.operands import (
    Parameters,
    all_blocks,
    consumed,
    end_consumed,
    end_operands,
    inner_blocks,
    operands,
    parameters_by_name,
    statement_operands,
)
from lambent.lang.compile.tensors.tensor_flow import names_with_tensors
from lambent.lang.syntax.source import Source, Span

_SHOWN = 40  # characters of an expression that stands for its result
_HOLDING = (Representation.TENSOR, Representation.VALUE, Representation.NUMBER)


@dataclass(frozen=True, slots=True, order=True)
class _Note:
    """A note under a column of a line, both counted from 0."""

    line: int
    column: int
    what: str  # `frees`, `hands over`
    name: str


def show_frees(source: Source, program: Anf, *, everything: bool = False) -> str:
    """The text of the source with a comment line after each line where tensors are freed.

    program: owned ANF.  Frees inside the library have no notes.
    everything: values without tensors have notes, too.
    """
    parameters = parameters_by_name((*program.own_functions, *program.externals))
    shown = None if everything else names_with_tensors(program)
    notes: set[_Note] = set()
    for function in program.own_functions:
        # The span of main is that of its first form, which may be one of the library.
        if function is program.main or function.span.source == source:
            names = None if shown is None else shown[function.name]
            notes.update(_Walk(source, function, parameters, names).notes())
    comments: dict[int, list[str]] = {}
    for (line, column, what), group in groupby(
        sorted(notes), key=lambda note: (note.line, note.column, note.what)
    ):
        text = _comment(column, what, [note.name for note in group])
        comments.setdefault(line, []).append(text)
    out: list[str] = []
    for index, line_text in enumerate(source.text.splitlines()):
        out += [line_text, *comments.get(index, ())]
    return "\n".join(out) + "\n"


def _comment(column: int, what: str, names: list[str]) -> str:
    # The comment's semicolon takes the first column, so the caret is in the second one or later.
    caret = f";{' ' * (column - 1)}^" if column > 0 else ";"
    return f"{caret} {what} {', '.join(names)}"


@dataclass(slots=True)
class _Walk:
    """The notes of one function.  shown: the names that may have notes; None for all."""

    source: Source
    function: Function
    parameters: Parameters
    shown: set[str] | None
    descriptions: dict[str, str] = field(default_factory=dict)  # of the names that are shown
    copies: set[str] = field(default_factory=set)  # of names that stay live
    results: set[str] = field(default_factory=set)  # of calls
    used: set[str] = field(default_factory=set)

    def notes(self) -> Iterator[_Note]:
        for parameter in self.function.parameters:
            self.learn(parameter.name, parameter.representation, self.function.span)
        for block in all_blocks(self.function.body):
            for statement in block.statements:
                self.learn_statement(statement)
                if not isinstance(statement, Free):
                    self.used.update(statement_operands(statement))
            self.used.update(end_operands(block.end))
        yield from self.block(self.function.body, self.function.span)

    # Names.

    @property
    def unused(self) -> set[str]:
        """The unused results: they are freed, but never live for the reader of the source."""
        return self.results - self.used

    def learn_statement(self, statement: Statement) -> None:
        match statement:
            case Bind(name, _, Dup()):
                self.copies.add(name)  # freeing the copy frees no tensor
            case Bind(name, _, Convert(operand)):
                if operand in self.copies:
                    self.copies.add(name)
                elif operand in self.descriptions:
                    self.descriptions[name] = self.descriptions[operand]
            case Bind(name, representation, _, span):
                self.learn(name, representation, span)
                self.results.add(name)
            case If(name, representation, span=span):
                self.learn(name, representation, span)
            case Loop(name, representation, variables=variables, span=span):
                self.learn(name, representation, span)
                for variable in variables:
                    self.learn(variable.name, variable.representation, span)
            case Free():
                pass

    def learn(self, name: str, representation: Representation, span: Span) -> None:
        is_shown = self.shown is None or name in self.shown
        if is_shown and representation in _HOLDING:
            is_temporary = name[0] == "%" or (name[0] == "t" and name.split(".")[0][1:].isdigit())
            self.descriptions[name] = _shown(span) if is_temporary else _plain(name)

    # Frees.

    def block(self, block: Block, around: Span) -> Iterator[_Note]:
        """around: the form of a block without statements."""
        spans = [s.span for s in block.statements if not isinstance(s, Free)]
        first = spans[0] if spans else around
        for statement in block.statements:
            match statement:
                case Free(name, representation, after):
                    if after is None:
                        yield from self.note(name, first, "needs no more, so frees", before=True)
                    elif representation is Representation.TENSOR or name not in self.unused:
                        yield from self.note(name, after, "frees")
                case Bind(_, _, IndirectCall(callee, arguments) as operation, span):
                    yield from self.hand_over(arguments, (True,) * len(arguments), span)
                    if operation.is_last:
                        yield from self.note(callee, span, "frees")
                case Bind(_, _, DirectCall() as operation, span):
                    taken = consumed(operation, self.parameters)
                    yield from self.hand_over(operands(operation), taken, span)
                case Bind(_, _, Apply(_, arguments, frees=frees), span):
                    for index in frees:
                        yield from self.note(arguments[index], span, "frees")
                case Bind() | If() | Loop():
                    for inner in inner_blocks(statement):
                        yield from self.block(inner, statement.span)
        if isinstance(block.end, DirectTailCall | IndirectTailCall):
            taken = end_consumed(block.end, self.parameters)
            yield from self.hand_over(end_operands(block.end), taken, block.end.span)

    def hand_over(
        self, names: tuple[str, ...], taken: tuple[bool, ...], span: Span
    ) -> Iterator[_Note]:
        """The variables of the source whose values a call takes over."""
        for name, is_taken in zip(names, taken, strict=True):
            if is_taken and name in self.descriptions and self.descriptions[name] == _plain(name):
                yield from self.note(name, span, "hands over")

    def note(
        self, name: str, location: Span, what: str, *, before: bool = False
    ) -> Iterator[_Note]:
        """A note under the end of a form, or under its beginning if it happens before."""
        descriptions = self.descriptions.get(name)
        if descriptions is None or location.source != self.source:
            return
        start = self.source.line_index(location.start)
        line = start if before else self.source.line_index(location.end - 1)
        yield _Note(line, _column(location) if line == start else 0, what, descriptions)


def _column(span: Span) -> int:
    return span.column - 1


def _shown(span: Span) -> str:
    """The text of an expression on one line, cut if it is long."""
    text = " ".join(span.text.split())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _plain(name: str) -> str:
    """The name in the source: `x` of the names `x.2` and `x.start`."""
    parts = name.split(".")
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _SUFFIXES):
        parts.pop()
    return ".".join(parts)


# The suffixes that passes append to a variable's name.
_SUFFIXES = ("start", "current", "value", "tensor", "copy", "lib")
