"""Constant tests: only the branch that is taken remains.

    t1: boolean = #f                  t3 = call g(x)
    t4 = if t1                =>      yield t3
      t2 = call f(x)
      yield t2
    else
      t3 = call g(x)
      yield t3
    yield t4

Runs after `convert`, which finds tests that are always true.  C compilers would drop the other
branch, too, but warn about unused names.  Statements after one that never returns are dropped as
well.
"""

from dataclasses import dataclass, field, replace
from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    Free,
    Function,
    If,
    Literal,
    Loop,
    Raise,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.operands import (
    all_blocks,
    end_operands,
    never_returns,
    operands,
    with_end_operands,
    with_operands,
)
from lambent.lang.syntax.datum import Boolean


def fold_tests(program: Anf) -> Anf:
    """The program without branches that are never taken."""
    functions = tuple([_folded(function) for function in program.functions])
    return replace(program, functions=functions, main=_folded(program.main))


def _folded(function: Function) -> Function:
    constants = {
        statement.name: statement.operation.value.value
        for block in all_blocks(function.body)
        for statement in block.statements
        if isinstance(statement, Bind)
        and statement.representation is Representation.BOOLEAN
        and isinstance(statement.operation, Literal)
        and isinstance(statement.operation.value, Boolean)
    }
    tests = {s.test for b in all_blocks(function.body) for s in b.statements if isinstance(s, If)}
    if not tests & constants.keys():
        return function
    return replace(function, body=_Folder(constants).block(function.body))


@dataclass(slots=True)
class _Folder:
    """constants: the tests that are constants, by name.  same: for each If that is gone, the name
    of the value that its branch yields."""

    constants: dict[str, bool]
    same: dict[str, str] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        end = self.statements(block, out)
        return Block(tuple(out), end)

    def statements(self, block: Block, out: list[Statement]) -> Terminator:
        """Write the statements of a block; the end of the block."""
        for statement in block.statements:
            if isinstance(statement, If) and statement.test in self.constants:
                taken = statement.then if self.constants[statement.test] else statement.orelse
                end = self.statements(taken, out)
                if not isinstance(end, Yield) or (out and never_returns(out[-1])):
                    return end
                self.same[statement.name] = end.name
                continue
            out.append(self.statement(statement))
            if never_returns(out[-1]):
                if isinstance(out[-1], Bind):
                    return Raise()
                return Yield(out[-1].name)
        names = tuple([self.name(name) for name in end_operands(block.end)])
        return with_end_operands(block.end, names) if names else block.end

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Bind(operation=operation):
                names = tuple([self.name(name) for name in operands(operation)])
                return replace(statement, operation=with_operands(operation, names))
            case If(test=test, then=then, orelse=orelse):
                then, orelse = self.block(then), self.block(orelse)
                return replace(statement, test=self.name(test), then=then, orelse=orelse)
            case Loop(variables=variables, body=body):
                variables = tuple([replace(v, initial=self.name(v.initial)) for v in variables])
                return replace(statement, variables=variables, body=self.block(body))
            case Free():
                return statement
            case _:
                assert_never(statement)

    def name(self, name: str) -> str:
        return self.same.get(name, name)
