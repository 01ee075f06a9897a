"""The walk forward through a function, with what holds at each place: through branches and loops.

    t1 = pair?(x)
    if t1 ...                 test(t1, True): x is a pair in this branch
    else ...                  test(t1, False)
    loop i = zero             flow: what is known of zero holds of i at first
      ...
      recur next              and of next afterwards: what holds of both holds of i

Inference, `bounds.py` and the verifiers say how each operation and each test changes that; the rest
is here.

What holds after a test is what both branches end with.  Where one branch is left for good, what
follows continues the other one.  A loop is walked through until its iterations pass on all that
they begin with: at first everything that holds before the loop; what is lost on the way back is
dropped, and the walk repeated.  So walks end, and what holds in the last one holds by induction.
"""

from collections.abc import Sequence
from typing import Generic, assert_never

from lambent.lang.compile.ir.anf import (
    Bind,
    Block,
    DirectTailCall,
    Free,
    If,
    IndirectTailCall,
    Loop,
    Raise,
    Recur,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.blocks import Target
from lambent.lang.compile.ir.known import F, K, Known
from lambent.lang.compile.ir.operands import may_yield
from lambent.lang.system.dataclass import dataclass, field


@dataclass(slots=True)
class Head(Generic[K, F]):
    """Where the iterations of a loop begin.  mark: in the log of what is known.  lost: the facts
    there that do not hold in later iterations, and what is left of them."""

    loop: Loop
    mark: int = 0
    lost: dict[K, F | None] = field(default_factory=dict)


class Forward(Generic[K, F]):
    """A walk through one function.  A class of this kind calls `begin` first, and says in the
    methods from `bind` to `bound` what it makes of the function's parts.

    known: what holds here.  where: the present statement, or the end of the present block; None
    before the first one.  heads: of the loops so far, by their labels.
    """

    __slots__ = ("heads", "known", "where")
    known: Known[K, F]
    where: Statement | Terminator | None
    heads: dict[str, Head[K, F]]

    def begin(self, known: Known[K, F]) -> None:
        self.known = known
        self.where = None
        self.heads = {}

    # The parts of a function.

    def bind(self, bind: Bind) -> None:
        """An operation, which succeeds."""
        raise NotImplementedError

    def test(self, name: str, holds: bool) -> None:
        """A branch begins, where a test holds or does not."""

    def flow(self, names: Sequence[str], targets: Sequence[Target]) -> None:
        """Values flow to their targets, all at once."""

    def free(self, free: Free) -> None:
        """An object is freed."""

    def leave(self, end: DirectTailCall | IndirectTailCall | Raise) -> None:
        """The function is left."""

    def bound(self, statement: If | Loop) -> None:
        """The name of a statement with blocks has its value."""

    # The walk.

    def block(self, block: Block, target: Target = None) -> None:
        """target: what gets the value that the block yields."""
        for statement in block.statements:
            self.where = statement
            match statement:
                case Bind():
                    self.bind(statement)
                case If():
                    self.branches(statement)
                    self.bound(statement)
                case Loop():
                    self.loop(statement)
                    self.bound(statement)
                case Free():
                    self.free(statement)
                case _:
                    assert_never(statement)
        self.where = block.end
        match block.end:
            case Yield(name):
                if may_yield(block):
                    self.flow((name,), (target,))
            case Recur(label, arguments):
                self.recur(self.heads[label], arguments)
            case end:
                self.leave(end)

    def branches(self, statement: If) -> None:
        mark = self.known.mark()
        first, last, holds = statement.then, statement.orelse, True
        if may_yield(first) and not may_yield(last):
            first, last, holds = last, first, False
        self.test(statement.test, holds)
        self.block(first, statement)
        one = self.known.leave(mark)
        self.test(statement.test, not holds)
        self.block(last, statement)
        if may_yield(first):
            self.known.join(one, self.known.leave(mark))

    def loop(self, loop: Loop) -> None:
        variables = loop.variables
        self.flow([variable.initial for variable in variables], variables)
        if (head := self.heads.get(loop.label)) is None:
            head = self.heads[loop.label] = Head(loop)
        self.known.weaken(head.lost)  # in an earlier walk through the loop around it
        while True:
            head.mark, before = self.known.mark(), dict(head.lost)
            self.block(loop.body, loop)
            if head.lost == before:
                break
            self.known.leave(head.mark)
            self.known.weaken(head.lost)

    def recur(self, head: Head[K, F], arguments: Sequence[str]) -> None:
        mark = self.known.mark()
        self.flow(arguments, head.loop.variables)
        for key, fact in self.known.lost(head.mark).items():
            known = head.lost.get(key, fact)
            head.lost[key] = None if known is None or fact is None else self.known.both(known, fact)
        self.known.leave(mark)
