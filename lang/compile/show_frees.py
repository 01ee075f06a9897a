"""A program's text with the place marked at which each tensor dies: `lambent show frees FILE`.

    (let ((h (tensor-relu (@ x w))))
    ;        ^ frees (@ x w)
      (tensor-sum h))
    ; ^ frees h

The caret stands under the call after which the tensor is freed.  A tensor that a branch does not
use is freed when the branch begins.  What is moved away instead (returned, stored, handed to the
next turn of a loop or to a call that takes it over) has no mark here: it lives on there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lambent.lang.compile.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    CallKnown,
    CallUnknown,
    CellGet,
    Dup,
    Free,
    Function,
    GlobalGet,
    If,
    Loop,
    Operation,
    SlotGet,
    Statement,
    Type,
)
from lambent.lang.compile.kinds import may_be_tensor
from lambent.lang.compile.operands import all_blocks, inner_blocks
from lambent.lang.syntax.source import Source, Span

_SHOWN = 40  # characters of an expression that stands for what it gave


@dataclass(frozen=True, slots=True, order=True)
class _Mark:
    """Something to say under a line, both from 0; column None: under the line as a whole."""

    line: int
    column: int
    text: str


def show_frees(source: Source, program: Anf) -> str:
    """The text of the source with a comment line for each place at which tensors die.

    program: owned.  Only what the source itself says is marked, nothing of the library.
    """
    marks: set[_Mark] = set()
    for function in (*program.functions, program.main):
        if function.span.source == source:
            marks.update(_Walk(source, function).marks())
    out: list[str] = []
    waiting = sorted(marks)
    for index, line in enumerate(source.text.splitlines()):
        out.append(line)
        here = [mark for mark in waiting if mark.line == index]
        for column in sorted({mark.column for mark in here}):
            names = [mark.text for mark in here if mark.column == column]
            out.append(_comment(column, names))
    return "\n".join(out) + "\n"


def _comment(column: int, names: list[str]) -> str:
    # The comment's own sign takes the first column, so a caret can stand from the third one on.
    caret = f";{' ' * (column - 1)}^" if column > 1 else ";"
    return f"{caret} frees {', '.join(names)}"


@dataclass(slots=True)
class _Walk:
    """One function's frees, in the words of its source."""

    source: Source
    function: Function
    words: dict[str, str] = field(default_factory=dict)  # what may hold a tensor, as people say it

    def marks(self) -> Iterator[_Mark]:
        for parameter in self.function.parameters:
            self.learn(parameter.name, parameter.type, None, self.function.span)
        for block in all_blocks(self.function.body):
            for statement in block.statements:
                self.learn_statement(statement)
        yield from self.block(self.function.body, self.function.span)

    # Names.

    def learn_statement(self, statement: Statement) -> None:
        match statement:
            case Bind(name, type_, Dup(operand)):
                if operand in self.words:
                    self.words[name] = self.words[operand]
            case Bind(name, type_, operation, span):
                if type_ is Type.TENSOR or _may_be_tensor(operation):
                    self.learn(name, type_, operation, span)
            case If(name, type_, span=span):
                self.learn(name, type_, None, span)
            case Loop(name, type_, variables=variables, span=span):
                self.learn(name, type_, None, span)
                for variable in variables:
                    self.learn(variable.name, variable.type, None, span)
            case Free():
                pass

    def learn(self, name: str, type_: Type, operation: Operation | None, span: Span) -> None:
        if type_ in (Type.TENSOR, Type.VALUE):
            is_temporary = name[0] == "t" and name.split(".")[0][1:].isdigit()
            self.words[name] = _shown(span) if is_temporary else _plain(name)

    # Frees.

    def block(self, block: Block, around: Span) -> Iterator[_Mark]:
        """around: the form that the block is part of, for a block without statements."""
        spans = [s.span for s in block.statements if not isinstance(s, Free)]
        for statement in block.statements:
            if isinstance(statement, Free):
                yield from self.free(statement, spans[0] if spans else around)
            else:
                for inner in inner_blocks(statement):
                    yield from self.block(inner, statement.span)

    def free(self, free: Free, first: Span) -> Iterator[_Mark]:
        words = self.words.get(free.name)
        place = free.after_use or first
        if words is None or place.source != self.source:
            return
        if free.after_use is None:
            line = self.source.line_index(first.start)
            yield _Mark(line, _column(first), f"{words}, which is not used from here")
            return
        line = self.source.line_index(place.end - 1)
        column = _column(place) if line == self.source.line_index(place.start) else 0
        yield _Mark(line, column, words)


def _column(span: Span) -> int:
    return span.column - 1


def _shown(span: Span) -> str:
    """The text of an expression on one line, cut if it is long."""
    text = " ".join(span.text.split())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _plain(name: str) -> str:
    """The name in the source: `x` of the names `x.2` and `x.start`."""
    parts = name.split(".")
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _MADE):
        parts.pop()
    return ".".join(parts)


# What other passes append to a variable's name.
_MADE = ("start", "turn", "value", "tensor", "copy", "lib")


def _may_be_tensor(operation: Operation) -> bool:
    match operation:
        case Apply(primitive):
            return may_be_tensor(primitive)
        case CallKnown() | CallUnknown() | CellGet() | SlotGet() | GlobalGet():
            return True
        case _:
            return False
