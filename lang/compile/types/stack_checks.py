"""Where recursive functions check how much stack is left: before they call anything.

    fn fib(n: fixnum)                        fn fib(n: fixnum)
      t1 = n < 2                               t1 = n < 2
      if t1                                    if t1
        yield n                      =>          yield n
      else                                     else
        t2 = fib(n - 1)                          check-stack
        ...                                      t2 = fib(n - 1)

At least half of the calls of such a function end without another call.  They need neither the check
nor, in C, a frame; and the C compiler puts the test that tells them into the caller.
"""

from collections.abc import Container

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    CheckStack,
    DirectCall,
    DirectTailCall,
    Free,
    Function,
    If,
    IndirectCall,
    IndirectTailCall,
    Loop,
    Operation,
    Recur,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import all_blocks, bound_names, inner_blocks
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace


def place_stack_checks(function: Function, recursive: Container[str]) -> Function:
    """A recursive function with its checks.  recursive: the functions that are."""
    names = {parameter.name for parameter in function.parameters}
    for block in all_blocks(function.body):
        names.update(name for statement in block.statements for name in bound_names(statement))
    placer = _Placer(function.span, recursive, names)
    return replace(function, body=placer.block(function.body))


def calls_unchecked(function: Function, recursive: Container[str]) -> bool:
    """Whether it may come to a call before it has checked the stack."""
    return _reaches_call(function.body, recursive)


@dataclass(slots=True)
class _Placer:
    """One walk through one function.  taken: its names."""

    span: Span
    recursive: Container[str]
    taken: set[str]
    numbers: Numbers = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        """The block with a check on each path that comes to a call: at its beginning, where fewest
        values are live, unless a path goes without."""
        if not self.calls(block):
            return block
        if self.certainly_calls(block):
            return replace(block, statements=(self.check(), *block.statements))
        *before, last = block.statements
        return replace(block, statements=(*before, self.branching(last)))

    def branching(self, statement: Statement) -> Statement:
        match statement:
            case If(then=then, orelse=orelse):
                return replace(statement, then=self.block(then), orelse=self.block(orelse))
            case Loop(body=body):
                return replace(statement, body=self.block(body))
        raise AssertionError(statement)

    def calls(self, block: Block) -> bool:
        """Whether a path through the block comes to a call."""
        return _is_call(block.end) or any(
            _calls_inside(statement, self.recursive) for statement in block.statements
        )

    def certainly_calls(self, block: Block) -> bool:
        """Whether every path does, as far as the branches at the ends of blocks tell."""
        if not block.statements or not _is_branching(block.statements[-1], block.end):
            return self.calls(block)
        *before, last = block.statements
        return any(_calls_inside(statement, self.recursive) for statement in before) or all(
            map(self.certainly_calls, inner_blocks(last))
        )

    def check(self) -> Bind:
        name = fresh("stack", self.taken, self.numbers)
        self.taken.add(name)
        return Bind(name, Representation.VOID, CheckStack(), self.span)


def _is_branching(statement: Statement, end: Terminator) -> bool:
    """Whether a block ends with the value of its last statement, which runs one of its blocks."""
    if end != Yield(statement.name) or isinstance(statement, Bind | Free):
        return False
    return isinstance(statement, If) or not _iterates(statement)


def _iterates(loop: Loop) -> bool:
    return any(isinstance(block.end, Recur) for block in all_blocks(loop.body))


def _calls(operation: Operation, recursive: Container[str]) -> bool:
    """Whether it may lead back to the function.  What a function calls that is not recursive takes
    a limited amount of stack."""
    match operation:
        case DirectCall(callee):
            return callee in recursive
        case Apply(primitive):
            return primitive.effects.may_call
    return isinstance(operation, IndirectCall)


def _is_call(end: Terminator) -> bool:
    return isinstance(end, DirectTailCall | IndirectTailCall)


def _calls_inside(statement: Statement, recursive: Container[str]) -> bool:
    if isinstance(statement, Bind):
        return _calls(statement.operation, recursive)
    blocks = [block for inner in inner_blocks(statement) for block in all_blocks(inner)]
    return any(
        _is_call(block.end)
        or any(isinstance(s, Bind) and _calls(s.operation, recursive) for s in block.statements)
        for block in blocks
    )


def _reaches_call(block: Block, recursive: Container[str]) -> bool:
    """Whether a path from the block's beginning comes to a call before a check."""
    for statement in block.statements:
        match statement:
            case Bind(operation=CheckStack()):
                return False
            case Bind(operation=operation) if _calls(operation, recursive):
                return True
        if any(_reaches_call(inner, recursive) for inner in inner_blocks(statement)):
            return True
    return _is_call(block.end)
