"""The fields of a dying pair, vector or record move to the names that hold them.

`insert_frees` gives each field that is read a reference of its own, and then frees the object.  If
that was its last reference, its fields lose theirs: a count goes up and down for nothing.

    x = car(l)                  x = borrowed car(l)
    y = cdr(l)          =>      y = borrowed cdr(l)
    free l                      free l keeping x, y

`free l keeping x, y` looks at the count of l once.  If it is the last reference, the block of l is
free, and the fields need not be touched; otherwise x and y get references.  The next object of this
size takes the block.

The free may stand in inner blocks, once on each path.  On a path where x is freed first, nothing is
freed: x only was a look at l.  A field stays as it is where an operation consumes it before l is
freed, or where such objects may change before.

Runs after `insert_frees`, which places the frees.  `check_owned` proves that between the reads and
the free no field changes, and that the names are not consumed before.
"""

from collections.abc import Sequence
from enum import Enum, auto

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectTailCall,
    Free,
    Function,
    If,
    IndirectTailCall,
    Kept,
    Loop,
    Raise,
    Recur,
    Representation,
    Statement,
    Yield,
)
from lambent.lang.compile.ir.blocks import map_functions, map_statements
from lambent.lang.compile.ir.operands import (
    Parameters,
    all_blocks,
    consumed,
    end_operands,
    never_returns,
    operands,
    parameters_by_name,
    repeating_loops,
    statement_operands,
)
from lambent.lang.compile.ir.shapes import constant_integers, field_of
from lambent.lang.compile.types.memory_use import Changes, find_changes, read_memory
from lambent.lang.primitives.effects import Memory
from lambent.lang.system.dataclass import dataclass, field, replace

# A read is given up whose free is further away, so that the pass stays linear.
_FARTHEST = 500
# The mask of the fields that are kept has 64 bits, one for a record's type.
_LAST_KEPT = 62


def move_fields(program: Anf) -> Anf:
    """The program in which dying objects give their fields away."""
    functions = program.by_name
    parameters = parameters_by_name(tuple(functions.values()))
    changes = find_changes(functions, is_unit=program.is_unit)

    def moved(function: Function) -> Function:
        return _Mover(function, parameters, changes).run()

    return map_functions(program, moved)


class _End(Enum):
    """How a path through a block ends for a field that is only borrowed at its beginning."""

    BORROWED = auto()  # it still is
    DONE = auto()  # it is owned, or gone
    NEVER = auto()  # control does not come there


class _NotMovedError(Exception):
    """The field needs a reference of its own."""


@dataclass(slots=True)
class _Mover:
    """One function.

    integers: the names of constants.  repeating: the labels of loops with more than one iteration.
    projections: the names that `borrow` has made borrowed.  moved: those that this pass has.
    kept: the fields that each Free keeps, by its identity.  removed: the Frees that are not needed.
    looks: by name, the statements, by their identity, before which it is only borrowed.
    """

    function: Function
    parameters: Parameters
    changes: Changes
    integers: dict[str, int] = field(default_factory=dict)
    repeating: frozenset[str] = frozenset()
    projections: set[str] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)
    kept: dict[int, list[Kept]] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    looks: dict[str, set[int]] = field(default_factory=dict)

    def run(self) -> Function:
        body = self.function.body
        self.integers = constant_integers(body)
        self.repeating = repeating_loops(body)
        for block in all_blocks(body):
            for index, statement in enumerate(block.statements):
                match statement:
                    case Bind(name, operation=Apply(borrows=True)):
                        self.projections.add(name)
                    case Bind(_, Representation.VALUE, Apply() as apply):
                        self.read(block, index, statement, apply)
        if not self.moved:
            return self.function
        return replace(self.function, body=map_statements(body, self.written))

    def read(self, block: Block, index: int, bind: Bind, apply: Apply) -> None:
        """Move the field that an operation reads, if it reads one, and that is possible."""
        found = field_of(bind.name, apply, self.integers)
        if found is None or (isinstance(found.field, int) and not 0 <= found.field <= _LAST_KEPT):
            return
        owner = apply.arguments[0]
        if owner in self.projections or id(bind) in self.looks.get(owner, ()):
            return
        walk = _Walk(self, owner, found, read_memory(apply))
        try:
            if walk.statements(block, index + 1) is _End.BORROWED:
                return
        except _NotMovedError:
            return
        others = [kept for free in walk.kept for kept in self.kept.get(free, ())]
        if any(k.container is not found.container or k.field == found.field for k in others):
            return  # one Free keeps the fields of one object, each once
        self.moved.add(bind.name)
        self.looks[bind.name] = walk.seen
        self.removed |= walk.removed
        for free in walk.kept:
            self.kept.setdefault(free, []).append(found)

    # The result.

    def written(self, statement: Statement) -> Sequence[Statement]:
        match statement:
            case Bind(name, operation=Apply() as apply) if name in self.moved:
                return (replace(statement, operation=replace(apply, borrows=True)),)
            case Free() if id(statement) in self.removed:
                return ()
            case Free() if id(statement) in self.kept:
                return (replace(statement, kept=tuple(self.kept[id(statement)])),)
        return (statement,)


@dataclass(slots=True)
class _Walk:
    """All paths from a read to the free of the object, or of the field.

    memory: what must not change before.  kept, removed: the Frees found.  seen: the statements
    before them.
    """

    mover: _Mover
    owner: str
    read: Kept
    memory: Memory
    kept: list[int] = field(default_factory=list)
    removed: set[int] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)

    def statements(self, block: Block, start: int) -> _End:
        for index in range(start, len(block.statements)):
            statement = block.statements[index]
            if len(self.seen) == _FARTHEST:
                raise _NotMovedError
            self.seen.add(id(statement))
            if isinstance(statement, Free):
                if self.free(block, index, statement):
                    return _End.DONE
            elif (end := self.statement(statement)) is not _End.BORROWED:
                return end
        return self.end(block)

    def free(self, block: Block, index: int, free: Free) -> bool:
        """Whether a Free is that of the object or of the field."""
        name = self.read.name
        if free.name == self.owner:
            for later in block.statements[index + 1 :]:
                if not isinstance(later, Free):
                    break
                if later.name == name:  # nothing uses the field any more
                    self.removed.add(id(later))
                    return True
            kept = self.mover.kept.get(id(free), ())
            if any(other.field == self.read.field for other in kept):
                raise _NotMovedError
            self.kept.append(id(free))
        elif free.name == name:
            self.removed.add(id(free))
        return free.name in (self.owner, name)

    def statement(self, statement: Bind | If | Loop) -> _End:
        match statement:
            case Bind():
                self.operation(statement)
                if self.changes(statement):
                    raise _NotMovedError
                return _End.NEVER if never_returns(statement) else _End.BORROWED
            case If(then=then, orelse=orelse):
                ends = {self.statements(then, 0), self.statements(orelse, 0)} - {_End.NEVER}
                if len(ends) > 1:
                    raise _NotMovedError
                return ends.pop() if ends else _End.NEVER
            case Loop(label=label, variables=variables, body=body):
                if {self.owner, self.read.name} & {v.initial for v in variables}:
                    raise _NotMovedError
                if label not in self.mover.repeating:
                    return self.statements(body, 0)
                self.pass_over(body)
                return _End.NEVER if never_returns(statement) else _End.BORROWED

    def operation(self, bind: Bind) -> None:
        """An operation must not consume the field or the object, nor borrow from the field."""
        used = operands(bind.operation)
        taken = consumed(bind.operation, self.mover.parameters)
        for name, is_taken in zip(used, taken, strict=True):
            if is_taken and name in (self.owner, self.read.name):
                raise _NotMovedError
        match bind.operation:
            case Apply(borrows=True) if used[0] == self.read.name:
                raise _NotMovedError

    def pass_over(self, body: Block) -> None:
        """A loop's body, which must not use the field, nor change such objects, nor free this one
        on its way out."""
        for block in all_blocks(body):
            used = set(end_operands(block.end))
            for statement in block.statements:
                used.update(statement_operands(statement))
                if isinstance(statement, Bind) and self.changes(statement):
                    raise _NotMovedError
                if isinstance(statement, Free) and statement.name == self.owner:
                    raise _NotMovedError
            if self.read.name in used:
                raise _NotMovedError

    def changes(self, bind: Bind) -> bool:
        return bool(self.mover.changes.by(bind.operation) & self.memory)

    def end(self, block: Block) -> _End:
        """The end of a block at which the field is still only borrowed."""
        match block.end:
            case Raise():
                return _End.NEVER
            case Yield(name) if name not in (self.owner, self.read.name):
                return _End.BORROWED
            case Yield() | Recur() | DirectTailCall() | IndirectTailCall():
                raise _NotMovedError
