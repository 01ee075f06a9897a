"""Copies of ANF with new names, because every name is bound once in its function."""

from collections.abc import Callable

from lambent.lang.compile.ir.anf import Block, Loop, Recur, Statement
from lambent.lang.compile.ir.blocks import end_with_names, with_inner, with_names
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
        end = end_with_names(block.end, self.name)
        if isinstance(end, Recur):
            end = replace(end, label=self.name(end.label))
        return Block(statements, end)

    def statement(self, statement: Statement) -> Statement:
        new = with_names(statement, self.name)
        if isinstance(new, Loop):
            label = self.bind(new.label)
            variables = [replace(v, name=self.bind(v.name)) for v in new.variables]
            new = replace(new, label=label, variables=tuple(variables))
        new = with_inner(new, self.block)
        return replace(new, name=self.bind(new.name))
