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

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    Free,
    Function,
    GlobalGet,
    If,
    Loop,
    Operation,
    Statement,
)
from lambent.lang.compile.ir.operands import (
    all_blocks,
    end_operands,
    operands,
    with_end_operands,
    with_operands,
)
from lambent.lang.system.dataclass import dataclass, field, replace


def share_globals(program: Anf) -> Anf:
    """The program in which each path of a function reads a variable once."""
    functions = tuple([_shared(function) for function in program.functions])
    return replace(program, functions=functions, main=_shared(program.main))


def _shared(function: Function) -> Function:
    if function.owner.is_library or not any(map(_reads, all_blocks(function.body))):
        return function
    body = _Sharer().block(function.body, {})
    return replace(function, body=body)


def _is_read(operation: Operation) -> bool:
    return isinstance(operation, GlobalGet) and not (operation.owned or operation.checked)


def _reads(block: Block) -> list[Bind]:
    """The statements of a block that read such variables."""
    return [s for s in block.statements if isinstance(s, Bind) and _is_read(s.operation)]


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
            match statement:
                case Bind(operation=operation) if _is_read(operation):
                    self.read(statement, known, out)
                case Bind(operation=operation):
                    names = tuple([self.name(name) for name in operands(operation)])
                    out.append(replace(statement, operation=with_operands(operation, names)))
                case If(test=test, then=then, orelse=orelse):
                    then, orelse = self.block(then, known), self.block(orelse, known)
                    out.append(replace(statement, test=self.name(test), then=then, orelse=orelse))
                case Loop():
                    out.append(self.loop(statement, known, out))
                case Free(name):
                    raise AssertionError(f"{name}: this comes before ownership")
        names = tuple([self.name(name) for name in end_operands(block.end)])
        return Block(tuple(out), with_end_operands(block.end, names) if names else block.end)

    def read(self, bind: Bind, known: dict[Operation, str], out: list[Statement]) -> None:
        if bind.operation in known:
            if known[bind.operation] != bind.name:  # else it stands before the loop now
                self.same[bind.name] = known[bind.operation]
        else:
            known[bind.operation] = bind.name
            out.append(bind)

    def loop(self, loop: Loop, known: dict[Operation, str], out: list[Statement]) -> Loop:
        for block in all_blocks(loop.body):
            for bind in _reads(block):
                self.read(bind, known, out)
        variables = tuple([replace(v, initial=self.name(v.initial)) for v in loop.variables])
        return replace(loop, variables=variables, body=self.block(loop.body, known))
