"""The direct calls of a function, which of their arguments nothing else keeps alive, and which
projections their containers outlive.

    (define (f l) (cons (g (car l)) (h (cdr l))))

    t1 = car(l)
    t2 = call g(t1)      l, which holds t1, is needed later: t1 is not spent
    t3 = cdr(l)
    t4 = call h(t3)      l is not needed any more: t3 is spent, unless l is borrowed

`borrow` asks this of each call: a function that allocates may only borrow arguments that are not
spent.  An argument that is borrowed in the caller is not spent either; that is left to `borrow`.
t1 is outlived by its container, so it may be a short borrow.
"""

from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Function,
    If,
    IndirectTailCall,
    Literal,
    Loop,
    Raise,
    Recur,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.operands import (
    bound_names,
    end_operands,
    inner_blocks,
    operands,
    statement_operands,
)
from lambent.lang.compile.types.memory_use import Changes, read_memory
from lambent.lang.primitives.effects import Memory
from lambent.lang.system.dataclass import dataclass, field

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Site:
    """A call of a function.  spent: the arguments that are not needed later, with the indices of
    their parameters.  constants: the indices of arguments that are constants."""

    callee: str
    spent: tuple[tuple[int, str], ...]
    constants: frozenset[int]


@dataclass(frozen=True, slots=True)
class Sites:
    """calls: the direct calls in a function.  outlived: the projections whose container is needed
    after their last use."""

    calls: list[Site]
    outlived: set[str]


def find_sites(function: Function, changes: Changes) -> Sites:
    """The calls and the projections of a function.  changes: what each function may change."""
    walk = _Walk(changes)
    walk.learn(function.body)
    if walk.has_calls or walk.containers:
        walk.block(function.body, frozenset())
    return Sites(walk.calls, walk.outlived)


def is_projection(bind: Bind) -> bool:
    """Whether it reads an element or a field of its first operand."""
    match bind.operation:
        case Apply(primitive, _, variant):
            return (primitive if variant is None else variant).projection is not None
    return False


@dataclass(slots=True)
class _Walk:
    """One walk backwards through a function, with the names that are needed later.

    containers: what each projection is read from, and which objects it reads.  literals: the names
    of constants.  used: the outer names that a loop's body uses, and the labels that it goes back
    to.  heads: the names that are needed when the next iteration of a loop begins.
    """

    changes: Changes
    has_calls: bool = False
    calls: list[Site] = field(default_factory=list)
    outlived: set[str] = field(default_factory=set)
    containers: dict[str, tuple[str, Memory]] = field(default_factory=dict)
    literals: set[str] = field(default_factory=set)
    used: dict[str, tuple[Names, Names]] = field(default_factory=dict)
    heads: dict[str, Names] = field(default_factory=dict)

    def learn(self, block: Block) -> tuple[set[str], set[str]]:
        """The names that a block uses and does not bind, and the labels that it goes back to."""
        used, labels, bound = set(end_operands(block.end)), set[str](), set[str]()
        if isinstance(block.end, Recur):
            labels.add(block.end.label)
        self.has_calls |= isinstance(block.end, DirectTailCall)
        for statement in block.statements:
            used.update(statement_operands(statement))
            bound.update(bound_names(statement))
            self.learn_bind(statement)
            for inner in inner_blocks(statement):
                outer, inner_labels = self.learn(inner)
                used |= outer
                labels |= inner_labels
                if isinstance(statement, Loop):
                    outer = outer.difference([v.name for v in statement.variables])
                    self.used[statement.label] = frozenset(outer), frozenset(inner_labels)
        return used - bound, labels

    def learn_bind(self, statement: Statement) -> None:
        if isinstance(statement, Bind):
            self.has_calls |= isinstance(statement.operation, DirectCall)
            if isinstance(statement.operation, Literal):
                self.literals.add(statement.name)
            if is_projection(statement):
                operation = statement.operation
                self.containers[statement.name] = operands(operation)[0], read_memory(operation)

    def block(self, block: Block, after: Names) -> Names:
        """The names needed before a block.  after: those needed once it has yielded."""
        needed = self.end(block.end, after)
        for statement in reversed(block.statements):
            needed = self.statement(statement, needed)
        return needed

    def end(self, end: Terminator, after: Names) -> Names:
        match end:
            case Yield():
                needed = after
            case Recur(label):
                needed = self.heads[label]
            case DirectTailCall(function, arguments):
                needed = frozenset()
                self.add(function, arguments, needed)
            case IndirectTailCall() | Raise():
                needed = frozenset()
            case _:
                assert_never(end)
        return needed.union(end_operands(end))

    def statement(self, statement: Statement, needed: Names) -> Names:
        operands_ = statement_operands(statement)
        for name in operands_:
            if name in self.containers and name not in needed:
                self.note_last_use(name, needed)
        match statement:
            case Bind(operation=DirectCall(function, arguments)):
                self.add(function, arguments, needed)
            case If(then=then, orelse=orelse):
                needed = self.block(then, needed) | self.block(orelse, needed)
            case Loop(label=label, body=body):
                used, labels = self.used[label]
                around = [self.heads[outer] for outer in labels if outer in self.heads]
                self.heads[label] = head = needed.union(used, *around)
                self.block(body, needed)
                needed = head
        return needed.union(operands_)

    def note_last_use(self, name: str, needed: Names) -> None:
        """Note the last use of a projection on a path.  needed: the names that are used later."""
        if self.containers[name][0] in needed:
            self.outlived.add(name)

    def add(self, callee: str, arguments: tuple[str, ...], needed: Names) -> None:
        """Note a call.  needed: the names that are used after it."""
        spent = [
            (i, name)
            for i, name in enumerate(arguments)
            if not self.is_kept(name, needed, self.changes.functions[callee])
        ]
        constants = frozenset(i for i, name in enumerate(arguments) if name in self.literals)
        self.calls.append(Site(callee, tuple(spent), constants))

    def is_kept(self, name: str, needed: Names, changed: Memory) -> bool:
        """Whether a name is needed, or its value is a field of what is, and is not changed."""
        while name not in needed:
            if name not in self.containers:
                return False
            name, read = self.containers[name]
            if read & changed:
                return False
        return True
