"""Copies of ANF with new names, because every name is bound once in its function."""

from collections.abc import Callable
from typing import assert_never

from lambent.lang.compile.ir.anf import Bind, Block, Free, If, Loop, Recur, Statement, Terminator
from lambent.lang.compile.ir.operands import (
    end_operands,
    operands,
    with_end_operands,
    with_operands,
)
from lambent.lang.system.dataclass import dataclass, field, replace


def renamed(block: Block, fresh: Callable[[str], str], same: dict[str, str]) -> Block:
    """A copy of a block before ownership.

    fresh: a new name like the given one.  same: the names that replace outer ones.
    """
    return _Renamer(fresh, dict(same)).block(block)


@dataclass(slots=True)
class _Renamer:
    """names: the new name of each name and label so far."""

    fresh: Callable[[str], str]
    names: dict[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def bind(self, name: str) -> str:
        self.names[name] = self.fresh(name)
        return self.names[name]

    def block(self, block: Block) -> Block:
        statements = tuple([self.statement(statement) for statement in block.statements])
        return Block(statements, self.end(block.end))

    def end(self, end: Terminator) -> Terminator:
        names = tuple([self.name(name) for name in end_operands(end)])
        new = with_end_operands(end, names) if names else end
        return replace(new, label=self.name(new.label)) if isinstance(new, Recur) else new

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Bind(name, operation=operation):
                names = tuple([self.name(operand) for operand in operands(operation)])
                copied = with_operands(operation, names)
                return replace(statement, name=self.bind(name), operation=copied)
            case If(name, _, test, then, orelse):
                test, then, orelse = self.name(test), self.block(then), self.block(orelse)
                return replace(
                    statement, name=self.bind(name), test=test, then=then, orelse=orelse
                )
            case Loop():
                return self.loop(statement)
            case Free(name):
                raise AssertionError(f"{name}: copies come before ownership")
            case _:
                assert_never(statement)

    def loop(self, loop: Loop) -> Loop:
        label = self.bind(loop.label)
        initials = [self.name(variable.initial) for variable in loop.variables]
        variables = tuple(
            [
                replace(variable, name=self.bind(variable.name), initial=initial)
                for variable, initial in zip(loop.variables, initials, strict=True)
            ]
        )
        body = self.block(loop.body)
        name = self.bind(loop.name)
        return replace(loop, name=name, label=label, variables=variables, body=body)
