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
    Operation,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.blocks import map_body, names_in, with_inner
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import inner_blocks, repeating_loops
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace


def place_stack_checks(function: Function, recursive: Container[str]) -> Function:
    """A recursive function with its checks.  recursive: the functions that are."""
    repeating = repeating_loops(function.body)
    return map_body(
        function, _Placer(function.span, recursive, names_in(function), repeating).block
    )


def calls_unchecked(function: Function, recursive: Container[str]) -> bool:
    """Whether it may come to a call before it has checked the stack."""
    return _reaches_call(function.body, recursive)


@dataclass(slots=True)
class _Placer:
    """One walk through one function.  taken: its names.  repeating: the labels of its loops that
    iterate.  calling, certain: what has been found of its blocks, by their identity."""

    span: Span
    recursive: Container[str]
    taken: set[str]
    repeating: Container[str]
    numbers: Numbers = field(default_factory=dict)
    calling: dict[int, bool] = field(default_factory=dict)
    certain: dict[int, bool] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        """The block with a check on each path that comes to a call: at its beginning, where fewest
        values are live, unless a path goes without."""
        if not self.calls(block):
            return block
        if self.certainly_calls(block):
            return replace(block, statements=(self.check(), *block.statements))
        *before, last = block.statements
        return replace(block, statements=(*before, with_inner(last, self.block)))

    def calls(self, block: Block) -> bool:
        """Whether a path through the block comes to a call."""
        if id(block) not in self.calling:
            found = _is_call(block.end) or any(map(self.calls_inside, block.statements))
            self.calling[id(block)] = found
        return self.calling[id(block)]

    def calls_inside(self, statement: Statement) -> bool:
        if isinstance(statement, Bind):
            return _calls(statement.operation, self.recursive)
        return any(map(self.calls, inner_blocks(statement)))

    def certainly_calls(self, block: Block) -> bool:
        """Whether every path does, as far as the branches at the ends of blocks tell."""
        if id(block) not in self.certain:
            self.certain[id(block)] = self._certainly_calls(block)
        return self.certain[id(block)]

    def _certainly_calls(self, block: Block) -> bool:
        if not block.statements or not self.is_branching(block.statements[-1], block.end):
            return self.calls(block)
        *before, last = block.statements
        return any(map(self.calls_inside, before)) or all(
            map(self.certainly_calls, inner_blocks(last))
        )

    def is_branching(self, statement: Statement, end: Terminator) -> bool:
        """Whether a block ends with the value of its last statement, which runs one of its blocks
        once."""
        if isinstance(statement, Bind | Free) or end != Yield(statement.name):
            return False
        return isinstance(statement, If) or statement.label not in self.repeating

    def check(self) -> Bind:
        name = fresh("stack", self.taken, self.numbers)
        self.taken.add(name)
        return Bind(name, Representation.VOID, CheckStack(), self.span)


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
