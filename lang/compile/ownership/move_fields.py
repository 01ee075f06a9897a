"""The fields of a dying pair move to the names that hold them.

`insert_frees` gives each field that is read a reference of its own, and then frees the pair.  If
that was the pair's last reference, its fields lose theirs: a count goes up and down for nothing.

    x = car(l)                  x = borrowed car(l)
    y = cdr(l)          =>      y = borrowed cdr(l)
    free l                      free l keeping x, y

`free l keeping x, y` looks at the count of l once.  If it is the last reference, the block of l is
free, and the fields need not be touched; otherwise x and y get references.  The next `cons` takes
the block.

Runs after `insert_frees`, which places the frees.  `check_owned` proves that between the reads and
the free no field changes, and that the names are not consumed before.
"""

from dataclasses import dataclass, field, replace

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Free,
    Function,
    If,
    Loop,
    Representation,
    Statement,
)
from lambent.lang.compile.ir.operands import Parameters, consumed, operands, parameters_by_name
from lambent.lang.compile.types.memory_use import Changes, find_changes
from lambent.lang.primitives.effects import Memory


def move_fields(program: Anf) -> Anf:
    """The program in which dying pairs give their fields away."""
    functions = {f.name: f for f in (*program.functions, program.main)}
    mover = _Mover(parameters_by_name(tuple(functions.values())), find_changes(functions))
    return replace(
        program,
        functions=tuple([mover.function(function) for function in program.functions]),
        main=mover.function(program.main),
    )


def pair_field(statement: Statement) -> tuple[str, str] | None:
    """The pair that a statement reads, and which field of it."""
    match statement:
        case Bind(_, Representation.VALUE, Apply(primitive, arguments, None)):
            if primitive.pair_field is not None:
                return arguments[0], primitive.pair_field
    return None


@dataclass(frozen=True, slots=True)
class _Mover:
    parameters: Parameters
    changes: Changes

    def function(self, function: Function) -> Function:
        return replace(function, body=self.block(function.body))

    def block(self, block: Block) -> Block:
        statements = [self.inside(statement) for statement in block.statements]
        for index, statement in enumerate(statements):
            match statement:
                case Free(pair, Representation.VALUE):
                    self.move(statements, index, pair)
        return Block(tuple(statements), block.end)

    def inside(self, statement: Statement) -> Statement:
        match statement:
            case If(then=then, orelse=orelse):
                return replace(statement, then=self.block(then), orelse=self.block(orelse))
            case Loop(body=body):
                return replace(statement, body=self.block(body))
            case Bind() | Free():
                return statement

    def move(self, statements: list[Statement], index: int, pair: str) -> None:
        """Let the free at an index keep the fields that were read before it."""
        names: dict[str, str] = {}
        for kept, at in self.reads(statements, index, pair).items():
            bind = statements[at]
            assert isinstance(bind, Bind) and isinstance(bind.operation, Apply)
            statements[at] = replace(bind, operation=replace(bind.operation, borrows=True))
            names[kept] = bind.name
        free = statements[index]
        assert isinstance(free, Free)
        statements[index] = replace(free, car=names.get("car"), cdr=names.get("cdr"))

    def reads(self, statements: list[Statement], index: int, pair: str) -> dict[str, int]:
        """Where each of the pair's fields is read, and not consumed before the free at an index."""
        found = _Reads()
        for at in range(index - 1, -1, -1):
            statement = statements[at]
            match statement:
                case Bind(name, _, operation):
                    if name == pair or Memory.PAIR in self.changes.by(operation):
                        break
                    found.note(at, statement, pair)
                    found.consumed |= self.taken(statement)
                case Free(name):
                    found.consumed |= {name, *statement.keeps}
                case _:
                    break
        return found.fields

    def taken(self, bind: Bind) -> set[str]:
        """The names that must be owned when a statement runs: those that it consumes, and what a
        short borrow comes from."""
        used = operands(bind.operation)
        taken = consumed(bind.operation, self.parameters)
        names = {name for name, is_taken in zip(used, taken, strict=True) if is_taken}
        if isinstance(bind.operation, Apply) and bind.operation.borrows:
            names.add(used[0])
        return names


@dataclass(slots=True)
class _Reads:
    """fields: where each field is read.  consumed: the names that the statements after consume."""

    fields: dict[str, int] = field(default_factory=dict)
    consumed: set[str] = field(default_factory=set)

    def note(self, at: int, statement: Bind, pair: str) -> None:
        read = pair_field(statement)
        if read is None or read[0] != pair or read[1] in self.fields:
            return
        assert isinstance(statement.operation, Apply)
        if statement.name not in self.consumed and not statement.operation.borrows:
            self.fields[read[1]] = at
