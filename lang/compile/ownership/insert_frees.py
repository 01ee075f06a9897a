"""Ownership: inserts Dup and Free, so that every owned name is consumed exactly once on every path.

The pass walks each block backwards with the set of names that are needed later.  It runs last
before C, so that no other pass has to deal with ownership.

    t1 = tensor-transpose(k)                 t1 = tensor-transpose(k)
    t2 = tensor-matmul(q, t1)          =>    t2 = tensor-matmul(q, t1)
    yield t2                                 free t1
                                             yield t2

  - A name is freed right after its last use; in a branch that does not use it, first thing; before
    a tail call, never after.
  - An operand that is consumed but needed later is duplicated first, and so is one that must not be
    consumed: a literal, a variable's value, a borrowed parameter.
  - In `(add-into s s)` s is consumed and borrowed by one operation: it is duplicated and freed.
  - Each iteration owns the variables of its loop, and `recur` moves its operands into the next
    iteration.  Outer names that the body uses live until the loop ends.
  - A block that ends in an error frees only what it uses: the cleanup of the failing operation
    releases all other live names.
"""

from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectTailCall,
    Dup,
    Free,
    Function,
    If,
    IndirectCall,
    IndirectTailCall,
    Loop,
    Operation,
    Raise,
    Recur,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.blocks import map_functions, statements_in
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import (
    Parameters,
    bound_names,
    consumed,
    end_consumed,
    end_operands,
    inner_blocks,
    may_free,
    operands,
    owns_result,
    parameters_by_name,
    returns_immediate,
    reused,
    statement_operands,
    with_end_operands,
    with_operands,
)
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace

Names = frozenset[str]


def insert_frees(program: Anf) -> Anf:
    """The program with Dup and Free in it."""
    parameters = parameters_by_name((*program.own_functions, *program.externals))
    return map_functions(program, lambda function: own_function(function, parameters))


def own_function(function: Function, parameters: Parameters) -> Function:
    """One function with Dup and Free in it."""
    owner = _Owner(parameters, function.span)
    mine = [p.name for p in function.parameters if p.own and p.representation.on_heap]
    for parameter in function.parameters:
        owner.learn(parameter.name, parameter.representation, parameter.own)
    owner.learn_block(function.body)
    owner.learn_needs(function.body)
    body, needed = owner.block(function.body, frozenset())
    return replace(function, body=owner.free_first(mine, needed, body))


@dataclass(slots=True)
class _Owner:
    """One walk through one function.

    types: of every name of the function.  owned: the names that must be consumed.  immediate: those
    that may be consumed any number of times.  needs: the outer names and the labels that a loop's
    body uses.  heads: for each loop the names that must be live when the next iteration begins.
    """

    parameters: Parameters
    span: Span
    types: dict[str, Representation] = field(default_factory=dict)
    owned: set[str] = field(default_factory=set)
    immediate: set[str] = field(default_factory=set)
    needs: dict[str, tuple[Names, Names]] = field(default_factory=dict)
    heads: dict[str, Names] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=dict)

    # The names of the function.

    def learn(self, name: str, representation: Representation, owned: bool) -> None:
        self.types[name] = representation
        if owned and representation.on_heap:
            self.owned.add(name)

    def learn_block(self, outermost: Block) -> None:
        for statement in statements_in(outermost):
            self.learn_statement(statement)

    def learn_statement(self, statement: Statement) -> None:
        match statement:
            case Bind(name, representation, operation):
                assert not isinstance(operation, Dup), f"{name}: ownership is inserted once"
                if returns_immediate(operation, self.types):
                    self.immediate.add(name)
                self.learn(name, representation, owns_result(operation, self.types))
            case If(name, representation, own=own):
                self.learn(name, representation, owned=own)
            case Loop(name, representation, _, variables, own=own):
                self.learn(name, representation, owned=own)
                for variable in variables:
                    self.learn(variable.name, variable.representation, owned=variable.own)
            case Free(name):
                raise AssertionError(f"{name}: ownership is inserted once")
            case _:
                assert_never(statement)

    def learn_needs(self, block: Block) -> tuple[set[str], set[str]]:
        """The names that a block uses and does not bind, and the labels that it goes back to.

        Those of a loop are noted on the way, so loops within loops take one walk.
        """
        used, labels, bound = set(end_operands(block.end)), set[str](), set[str]()
        if isinstance(block.end, Recur):
            labels.add(block.end.label)
        for statement in block.statements:
            used.update(statement_operands(statement))
            bound.update(bound_names(statement))
            for inner in inner_blocks(statement):
                inner_used, inner_labels = self.learn_needs(inner)
                used |= inner_used
                labels |= inner_labels
                if isinstance(statement, Loop):
                    outer = inner_used.difference(v.name for v in statement.variables)
                    self.needs[statement.label] = frozenset(outer), frozenset(inner_labels)
        return used - bound, labels

    # Blocks.  Each function returns what it has written and the names needed before it.

    def block(self, block: Block, after: Names) -> tuple[Block, Names]:
        """Own a block.  after: the outer names that are still needed once it has yielded."""
        out: list[Statement] = []  # back to front
        # A Dup cannot fail; its span only tells to which line of the source its C belongs.
        span = _last_span(block) or self.span
        end, needed = self.end(block.end, after, out, span)
        for i in range(len(block.statements) - 1, -1, -1):
            last_before_raise = isinstance(block.end, Raise) and i == len(block.statements) - 1
            needed = self.statement(block.statements[i], needed, out, last_before_raise)
        return Block(tuple(reversed(out)), end), needed

    def free_first(self, live: list[str], needed: Names, block: Block) -> Block:
        """The block, which first frees the live names that it does not need."""
        if isinstance(block.end, Raise):
            return block
        frees = (Free(name, self.types[name], None) for name in live if name not in needed)
        return Block((*frees, *block.statements), block.end)

    def end(
        self, end: Terminator, after: Names, out: list[Statement], span: Span
    ) -> tuple[Terminator, Names]:
        match end:
            case Yield():
                needed = after
            case Recur(label):
                needed = self.heads[label]
            case DirectTailCall() | IndirectTailCall() | Raise():
                needed = frozenset()
            case _:
                assert_never(end)
        used, taken = end_operands(end), end_consumed(end, self.parameters)
        names, dups = self.duplicate(used, taken, needed, span)
        out.extend(reversed(dups))
        return with_end_operands(end, names), needed | self.mine(used)

    def statement(
        self, statement: Statement, needed: Names, out: list[Statement], fails: bool
    ) -> Names:
        """Append one statement to out, which grows back to front.  fails: it never returns."""
        match statement:
            case Bind(name, _, operation, span):
                self.free_result(statement, needed, out, fails)
                return self.operation(statement, operation, needed - {name}, out, fails, span)
            case If():
                self.free_result(statement, needed, out, fails)
                return self.branches(statement, needed - {statement.name}, out)
            case Loop():
                self.free_result(statement, needed, out, fails)
                return self.loop(statement, needed - {statement.name}, out)
            case Free(name):
                raise AssertionError(f"{name}: ownership is inserted once")
            case _:
                assert_never(statement)

    def free_result(
        self, statement: Bind | If | Loop, needed: Names, out: list[Statement], fails: bool
    ) -> None:
        """Free an unused result.

        Not a gradient mode: it has no use only if its body, which runs in the mode, never returns.
        """
        name = statement.name
        if self.types[name] is Representation.GRAD_MODE:
            return
        if name in self.owned and name not in needed and not fails:
            out.append(Free(name, self.types[name], statement.span))

    def operation(
        self,
        statement: Bind,
        operation: Operation,
        needed: Names,
        out: list[Statement],
        fails: bool,
        span: Span,
    ) -> Names:
        used = operands(operation)
        taken = consumed(operation, self.parameters)
        names, dups = self.duplicate(used, taken, needed, span)
        moved = {name for name, is_taken in zip(names, taken, strict=True) if is_taken}
        dying = [n for n in dict.fromkeys(used) if n in self.owned and n not in needed | moved]
        if isinstance(operation, Apply) and may_free(operation) and not fails:
            frees = tuple([i for i, n in enumerate(used) if n in dying and used.count(n) == 1])
            if frees:
                operation = replace(operation, frees=frees)
            dying = [n for n in dying if used.count(n) > 1]
        if isinstance(operation, IndirectCall) and not fails:
            is_last = operation.callee in dying and not operation.spread
            if is_last:
                dying.remove(operation.callee)
                operation = replace(operation, is_last=True)
        donor = None if fails else reused(operation)
        if donor is not None and used[donor] in dying and used.count(used[donor]) == 1:
            assert isinstance(operation, Apply)
            operation = replace(operation, frees=(donor,))
            dying.remove(used[donor])
        if not fails:
            out.extend(Free(name, self.types[name], span) for name in reversed(dying))
        if names != used:
            operation = with_operands(operation, names)
        is_same = operation is statement.operation
        out.append(statement if is_same else replace(statement, operation=operation))
        out.extend(reversed(dups))
        return needed | self.mine(used)

    def branches(self, statement: If, after: Names, out: list[Statement]) -> Names:
        then, needed_then = self.block(statement.then, after)
        orelse, needed_orelse = self.block(statement.orelse, after)
        needed = needed_then | needed_orelse
        live = sorted(needed)
        out.append(
            replace(
                statement,
                then=self.free_first(live, needed_then, then),
                orelse=self.free_first(live, needed_orelse, orelse),
            )
        )
        return needed

    def loop(self, statement: Loop, after: Names, out: list[Statement]) -> Names:
        head = after | self.needed_at_head(statement)
        self.heads[statement.label] = head
        body, needed = self.block(statement.body, after)
        iteration = [v.name for v in statement.variables if v.name in self.owned]
        body = self.free_first([*sorted(head), *iteration], needed, body)
        initials = tuple(variable.initial for variable in statement.variables)
        taken = tuple(variable.own for variable in statement.variables)
        names, dups = self.duplicate(initials, taken, head, statement.span)
        variables = tuple(
            replace(variable, initial=name)
            for variable, name in zip(statement.variables, names, strict=True)
        )
        out.append(replace(statement, variables=variables, body=body))
        out.extend(reversed(dups))
        return head | self.mine(initials)

    def needed_at_head(self, loop: Loop) -> Names:
        """The outer names that the iterations of a loop need, or those of enclosing loops that it
        continues."""
        names, labels = self.needs[loop.label]
        # What the head of a loop around it needs is bound outside of that one.
        around = [self.heads[label] for label in labels if label in self.heads]
        return self.mine(tuple(names.union(*around)))

    # Operands.

    def mine(self, names: tuple[str, ...]) -> Names:
        return frozenset(name for name in names if name in self.owned)

    def duplicate(
        self, used: tuple[str, ...], taken: tuple[bool, ...], needed: Names, span: Span
    ) -> tuple[tuple[str, ...], list[Statement]]:
        """The operands, where a Dup replaces each that must not be moved.

        A name is moved if it is owned, not needed later, not borrowed by the same operation, and
        not moved already.
        """
        borrowed = {name for name, is_taken in zip(used, taken, strict=True) if not is_taken}
        kept = needed | borrowed
        names: list[str] = []
        dups: list[Statement] = []
        for name, is_taken in zip(used, taken, strict=True):
            if not is_taken or not self.types[name].on_heap or name in self.immediate:
                names.append(name)
            elif name in self.owned and name not in kept:
                kept |= {name}
                names.append(name)
            else:
                copy = self.fresh(name)
                self.learn(copy, self.types[name], owned=True)
                names.append(copy)
                dups.append(Bind(copy, self.types[name], Dup(name), span))
        return tuple(names), dups

    def fresh(self, name: str) -> str:
        """A new name for a copy."""
        return fresh(f"{name}.copy", self.types, self.numbers, separator="")


def _last_span(block: Block) -> Span | None:
    for statement in reversed(block.statements):
        if not isinstance(statement, Free):
            return statement.span
    return None
