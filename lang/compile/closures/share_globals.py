"""One read of a top-level variable in place of several, and before the loops that need it.

    loop next(i = t1)                    t5 = global points
      t5 = global points                 loop next(i = t1)
      t6 = vector-ref(t5, i)       =>      t6 = vector-ref(t5, i)
      t8 = global points                   t9 = vector-ref(t5, t7)
      t9 = vector-ref(t8, t7)              recur next(t7)
      recur next(t7)

Only reads that hold no reference of their own, and cannot fail: the variable has one definition,
is never assigned, and nothing that mentions it runs before that definition.  So all reads of a
function are alike, wherever they stand.  The passes after this one learn more where one name stands
for the value: of its type, of the elements of a vector.

The library is left as it is, because its C is compiled once for all programs.
"""

from typing import TypeGuard

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    Function,
    GlobalGet,
    Loop,
    Operation,
    Statement,
)
from lambent.lang.compile.ir.blocks import (
    end_with_names,
    map_body,
    map_functions,
    statements_in,
    with_inner,
    with_names,
)
from lambent.lang.system.dataclass import dataclass, field


def share_globals(program: Anf) -> Anf:
    """The program in which each path of a function reads a variable once."""
    return map_functions(program, _shared)


def _shared(function: Function) -> Function:
    if function.owner.is_library or not any(map(_is_read, statements_in(function.body))):
        return function
    return map_body(function, lambda body: _Sharer().block(body, {}))


def _is_read(statement: Statement) -> TypeGuard[Bind]:
    match statement:
        case Bind(operation=GlobalGet(owned=False, checked=False)):
            return True
    return False


@dataclass(slots=True)
class _Sharer:
    """same: for the name of a read that is gone, that of the one which takes its place."""

    same: dict[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        return self.same.get(name, name)

    def block(self, block: Block, before: dict[Operation, str]) -> Block:
        """before: the names of the variables that have been read before the block."""
        known, out = dict(before), list[Statement]()
        for statement in block.statements:
            if _is_read(statement):
                self.read(statement, known, out)
                continue
            if isinstance(statement, Loop):
                for bind in filter(_is_read, statements_in(statement.body)):
                    self.read(bind, known, out)
            new = with_names(statement, self.name)
            out.append(with_inner(new, lambda inner: self.block(inner, known)))
        return Block(tuple(out), end_with_names(block.end, self.name))

    def read(self, bind: Bind, known: dict[Operation, str], out: list[Statement]) -> None:
        if bind.operation in known:
            if known[bind.operation] != bind.name:  # else it stands before the loop now
                self.same[bind.name] = known[bind.operation]
        else:
            known[bind.operation] = bind.name
            out.append(bind)
