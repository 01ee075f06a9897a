"""Random ANF programs, each a function of its seed: `random_anf(seed)`.

They hold no Dup and no Free; the passes under test insert these.  They have straight code,
branches, nested loops, slots, cells, closures, tail calls, grad modes and failures, but do nothing
meaningful.  They are small, so that one that fails can be read.  `random_sources.py` makes programs
that run.
"""

import random
from dataclasses import dataclass, field

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    CellGet,
    CellSet,
    Convert,
    DirectCall,
    DirectTailCall,
    Fail,
    Function,
    GlobalGet,
    GlobalSet,
    GlobalVariable,
    If,
    IndirectCall,
    IndirectTailCall,
    Literal,
    Loop,
    LoopVariable,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    Parameter,
    Raise,
    Recur,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Statement,
    Truth,
    Yield,
)
from lambent.lang.compile.ir.operands import never_returns
from lambent.lang.compile.types.stack_checks import place_stack_checks
from lambent.lang.core.ir import Namespace, Special
from lambent.lang.primitives.library import TABLE
from lambent.lang.syntax.datum import Number, String
from lambent.lang.syntax.source import Source, Span

_SPAN = Span(Source("random", "random"), 0, 6)


def random_anf(seed: int, *, read_only: bool = False) -> Anf:
    """A program of a few functions that call each other, without Dup and Free.

    read_only: most functions only read their arguments, so that there is something to borrow.
    """
    rng = random.Random(seed)
    heads = [_head(rng, index) for index in range(rng.randint(1, 3))]
    if read_only:
        heads = [h if rng.random() < 0.3 else _read_only_head(rng, h.name) for h in heads]
    functions = tuple([_Maker(rng, head, heads).function() for head in heads])
    main = _Maker(rng, _Head("main", (), 0, Representation.VALUE), heads).function()
    variables = (
        GlobalVariable("stable", Namespace.PROGRAM),
        GlobalVariable("changing", Namespace.PROGRAM),
    )
    return Anf(functions, variables, main, uses_tensors=True)


@dataclass(frozen=True, slots=True)
class _Head:
    """What callers must know about a function."""

    name: str
    parameters: tuple[Parameter, ...]
    captures: int
    result: Representation
    read_only: bool = False  # it does not allocate, and takes elements of its arguments


def _read_only_head(rng: random.Random, name: str) -> _Head:
    count = rng.randint(1, 3)
    own = tuple([Parameter(f"p{i}", Representation.VALUE, own=True) for i in range(count)])
    results = (Representation.BOOLEAN, Representation.BOOLEAN, Representation.VALUE)
    return _Head(name, own, 0, rng.choice(results), read_only=True)


def _head(rng: random.Random, index: int) -> _Head:
    captures = rng.randint(0, 2) if rng.random() < 0.4 else 0
    borrowed = [Parameter(f"c{i}", Representation.VALUE, own=False) for i in range(captures)]
    types = (
        Representation.VALUE,
        Representation.VALUE,
        Representation.TENSOR,
        Representation.FIXNUM,
    )
    own = [Parameter(f"p{i}", rng.choice(types), own=True) for i in range(rng.randint(0, 3))]
    # A parameter may also be borrowed by a function that is only called.
    if not captures and own and rng.random() < 0.3:
        own[0] = Parameter("p0", own[0].representation, own=False)
    return _Head(
        f"f{index}",
        (*borrowed, *own),
        captures,
        rng.choice((Representation.VALUE, Representation.TENSOR)),
    )


@dataclass(frozen=True, slots=True)
class _Ends:
    """How a block may end, besides with a value: with a jump to these loops, or a tail call."""

    loops: tuple[Loop, ...]
    tail: bool


@dataclass(slots=True)
class _Maker:
    """Makes one function."""

    rng: random.Random
    head: _Head
    heads: list[_Head]
    count: int = 0
    fuel: int = 40  # how many statements may still be made
    scope: list[tuple[str, Representation]] = field(default_factory=list)
    boxes: list[tuple[str, str, Representation]] = field(
        default_factory=list
    )  # name, kind, type of content

    def function(self) -> Function:
        self.scope = [(p.name, p.representation) for p in self.head.parameters]
        body = self.block(self.head.result, _Ends((), tail=True), depth=0)
        made = Function(
            self.head.name, self.head.name, self.head.captures,
            len(self.head.parameters) - self.head.captures, (), False, self.head.parameters,
            self.head.result, body, escapes=self.head.captures > 0, may_tail=True, may_fail=True,
            checks_stack=True, span=_SPAN,
        )  # fmt: skip
        return place_stack_checks(made, {head.name for head in self.heads})

    # Names.

    def fresh(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def bind(
        self, out: list[Statement], representation: Representation, operation: Operation
    ) -> str:
        name = self.fresh()
        out.append(Bind(name, representation, operation, _SPAN))
        self.fuel -= 1
        if representation not in (Representation.VOID, Representation.GRAD_MODE) and not isinstance(
            operation, NewSlot
        ):
            self.scope.append((name, representation))
        return name

    def pick(self, out: list[Statement], representation: Representation) -> str:
        """A name of a type in scope, more likely a recent one; or a new one."""
        names = [name for name, known in self.scope if known is representation]
        if names and self.rng.random() < 0.85:
            return self.rng.choice(names[-4:] if self.rng.random() < 0.7 else names)
        return self.make(out, representation)

    def make(self, out: list[Statement], representation: Representation) -> str:
        """A new name of a type, from nothing."""
        match representation:
            case Representation.VALUE:
                value = self.rng.choice((Number(1, _SPAN), String("s", _SPAN), Special.UNSPECIFIED))
                choices: list[Operation] = [
                    Literal(value),
                    *([] if self.head.read_only else [Apply(TABLE["list"], ())]),
                    GlobalGet("stable", Namespace.PROGRAM, owned=False, checked=False),
                    GlobalGet("changing", Namespace.PROGRAM, owned=True, checked=True),
                ]
                return self.bind(out, representation, self.rng.choice(choices))
            case Representation.TENSOR:
                return self.bind(out, representation, MakeTensor((0,), ()))
            case Representation.FIXNUM:
                return self.bind(
                    out, representation, Literal(Number(self.rng.randint(0, 9), _SPAN))
                )
            case _:
                return self.bind(out, representation, Truth(self.pick(out, Representation.VALUE)))

    # Blocks.

    def block(self, representation: Representation, ends: _Ends, depth: int) -> Block:
        outside, boxes = list(self.scope), list(self.boxes)
        out: list[Statement] = []
        for _ in range(self.rng.randint(0, 5)):
            if self.fuel > 0:
                self.statement(out, depth)
        block = self.finish(out, representation, ends, depth)
        self.scope, self.boxes = outside, boxes
        return block

    def finish(
        self, out: list[Statement], representation: Representation, ends: _Ends, depth: int
    ) -> Block:
        roll = self.rng.random()
        if roll < 0.25 and ends.loops:
            loop = self.rng.choice(ends.loops)
            names = tuple([self.pick(out, variable.representation) for variable in loop.variables])
            return Block(tuple(out), Recur(loop.label, names))
        if roll < 0.35 and ends.tail:
            return self.tail_call(out)
        if roll < 0.4:
            self.bind(out, Representation.VALUE, Fail("never"))
            return Block(tuple(out), Raise())
        if roll < 0.75 and depth < 4 and self.fuel > 0:
            name = self.branches_or_loop(out, representation, ends, depth)
            return Block(tuple(out), Yield(name))
        value = self.pick(out, representation)
        return Block(tuple(out), Yield(value))

    def tail_call(self, out: list[Statement]) -> Block:
        free = [h for h in self.heads if all(p.own for p in h.parameters)]
        same = [h for h in free if h.result is self.head.result]
        if same and self.rng.random() < 0.6:
            callee = self.rng.choice(same)
            names = tuple([self.pick(out, p.representation) for p in callee.parameters])
            return Block(tuple(out), DirectTailCall(callee.name, names, _SPAN))
        if self.head.read_only:
            value = self.pick(out, self.head.result)
            return Block(tuple(out), Yield(value))
        procedure = self.pick(out, Representation.VALUE)
        names = tuple([self.pick(out, Representation.VALUE) for _ in range(self.rng.randint(0, 3))])
        return Block(tuple(out), IndirectTailCall(procedure, names, _SPAN))

    def branches_or_loop(
        self, out: list[Statement], representation: Representation, ends: _Ends, depth: int
    ) -> str:
        if self.rng.random() < 0.6:
            test = self.pick(out, Representation.BOOLEAN)
            then = self.block(representation, ends, depth + 1)
            orelse = self.block(representation, ends, depth + 1)
            name = self.fresh()
            out.append(If(name, representation, test, then, orelse, _SPAN))
            return name
        types = (Representation.VALUE, self.large, Representation.FIXNUM)
        chosen = [self.rng.choice(types) for _ in range(self.rng.randint(0, 3))]
        starts = [self.pick(out, one) for one in chosen]
        outside = list(self.scope)
        variables = [LoopVariable(self.fresh(), t, s) for t, s in zip(chosen, starts, strict=True)]
        self.scope += [(variable.name, variable.representation) for variable in variables]
        name, label = self.fresh(), f"loop{self.count}"
        empty = Block((), Raise())
        head = Loop(name, representation, label, tuple(variables), empty, _SPAN)
        body = self.block(representation, _Ends((*ends.loops, head), ends.tail), depth + 1)
        self.scope = outside
        out.append(Loop(name, representation, label, tuple(variables), body, _SPAN))
        return name

    # Statements.

    @property
    def large(self) -> Representation:
        """TENSOR, except in functions that only read: these create no tensors."""
        return Representation.VALUE if self.head.read_only else Representation.TENSOR

    def statement(self, out: list[Statement], depth: int) -> None:
        makers = [
            self.apply, self.apply, self.call, self.box, self.use_box, self.convert,
            self.closure, self.store, self.grad_mode, self.element,
        ]  # fmt: skip
        if self.head.read_only:
            makers = [self.element, self.element, self.read, self.call_read_only, self.change]
        if depth < 3 and self.rng.random() < 0.25:
            representation = self.rng.choice((Representation.VALUE, self.large))
            name = self.branches_or_loop(out, representation, _Ends((), tail=False), depth)
            if never_returns(out[-1]):
                name = self.sometimes(out, representation)  # nothing may come after it
            self.scope.append((name, representation))
            return
        self.rng.choice(makers)(out)

    def sometimes(self, out: list[Statement], representation: Representation) -> str:
        """Put the last statement, which never returns, into a branch; the other branch returns."""
        last = out.pop()
        assert isinstance(last, If | Loop), last
        test = self.make(out, Representation.BOOLEAN)
        outside = list(self.scope)
        other: list[Statement] = []
        value = self.make(other, representation)
        self.scope = outside
        then = Block((last,), Yield(last.name))
        name = self.fresh()
        out.append(If(name, representation, test, then, Block(tuple(other), Yield(value)), _SPAN))
        return name

    def apply(self, out: list[Statement]) -> None:
        rng = self.rng
        match rng.randint(0, 6):
            case 0:
                # One value may be consumed twice: it needs a copy.
                first = self.pick(out, Representation.VALUE)
                second = first if rng.random() < 0.3 else self.pick(out, Representation.VALUE)
                self.bind(out, Representation.VALUE, Apply(TABLE["cons"], (first, second)))
            case 1:
                self.bind(
                    out,
                    Representation.VALUE,
                    Apply(TABLE["car"], (self.pick(out, Representation.VALUE),)),
                )
            case 2:
                # One value may be borrowed and consumed by one operation.
                pair = self.pick(out, Representation.VALUE)
                value = pair if rng.random() < 0.4 else self.pick(out, Representation.VALUE)
                self.bind(out, Representation.VOID, Apply(TABLE["set-car!"], (pair, value)))
            case 3:
                items = tuple(
                    [self.pick(out, Representation.VALUE) for _ in range(rng.randint(0, 3))]
                )
                self.bind(out, Representation.VALUE, Apply(TABLE["list"], items))
            case 4:
                self.bind(
                    out,
                    Representation.TENSOR,
                    Apply(TABLE["detach"], (self.pick(out, Representation.TENSOR),)),
                )
            case 5:
                self.bind(
                    out,
                    Representation.VOID,
                    Apply(TABLE["print"], (self.pick(out, Representation.VALUE),)),
                )
            case _:
                self.bind(out, Representation.BOOLEAN, Truth(self.pick(out, Representation.VALUE)))

    def element(self, out: list[Statement]) -> None:
        """An element of a value, which a later statement may read."""
        taking = TABLE[self.rng.choice(("car", "cdr"))]
        whole = self.pick(out, Representation.VALUE)
        name = self.bind(out, Representation.VALUE, Apply(taking, (whole,)))
        if self.rng.random() < 0.5:
            self.bind(out, Representation.BOOLEAN, Apply(TABLE["eq?"], (name, whole)))

    def read(self, out: list[Statement]) -> None:
        first, second = (self.pick(out, Representation.VALUE) for _ in range(2))
        test = self.rng.choice((
            Apply(TABLE["eq?"], (first, second)), Apply(TABLE["pair?"], (first,)), Truth(first),
        ))  # fmt: skip
        self.bind(out, Representation.BOOLEAN, test)

    def call_read_only(self, out: list[Statement]) -> None:
        callee = self.rng.choice([head for head in self.heads if head.read_only])
        names = tuple([self.pick(out, p.representation) for p in callee.parameters])
        self.bind(out, callee.result, DirectCall(callee.name, names))

    def change(self, out: list[Statement]) -> None:
        """Rare: a function that changes data may not borrow what others borrow."""
        if self.rng.random() < 0.15:
            pair, value = (self.pick(out, Representation.VALUE) for _ in range(2))
            self.bind(out, Representation.VOID, Apply(TABLE["set-car!"], (pair, value)))

    def call(self, out: list[Statement]) -> None:
        if self.rng.random() < 0.6:
            callee = self.rng.choice(self.heads)
            names = tuple([self.pick(out, p.representation) for p in callee.parameters])
            self.bind(out, callee.result, DirectCall(callee.name, names))
            return
        procedure = self.pick(out, Representation.VALUE)
        count = self.rng.randint(0, 3)
        names = tuple([self.pick(out, Representation.VALUE) for _ in range(count)])
        if names and self.rng.random() < 0.3:
            names = (procedure, *names[1:])  # borrowed as the callee, consumed as an argument
        spread = bool(names) and self.rng.random() < 0.2
        self.bind(out, Representation.VALUE, IndirectCall(procedure, names, spread))

    def closure(self, out: list[Statement]) -> None:
        values = [h for h in self.heads if h.captures]
        if values:
            callee = self.rng.choice(values)
            names = tuple([self.pick(out, Representation.VALUE) for _ in range(callee.captures)])
            self.bind(out, Representation.VALUE, MakeClosure(callee.name, names))

    def convert(self, out: list[Statement]) -> None:
        source, target = self.rng.choice(
            (
                (Representation.VALUE, Representation.TENSOR),
                (Representation.TENSOR, Representation.VALUE),
                (Representation.FIXNUM, Representation.VALUE),
            )
        )
        operand = self.pick(out, source)
        self.bind(out, target, Convert(operand, "f", "a tensor"))

    def box(self, out: list[Statement]) -> None:
        if self.rng.random() < 0.5:
            representation = self.rng.choice(
                (Representation.VALUE, Representation.TENSOR, Representation.FIXNUM)
            )
            slot = self.bind(out, representation, NewSlot(self.pick(out, representation)))
            self.boxes.append((slot, "slot", representation))
        else:
            cell = self.bind(
                out, Representation.VALUE, NewCell(self.pick(out, Representation.VALUE))
            )
            self.boxes.append((cell, "cell", Representation.VALUE))

    def use_box(self, out: list[Statement]) -> None:
        if not self.boxes:
            return
        box, kind, representation = self.rng.choice(self.boxes)
        if self.rng.random() < 0.5:
            getting = SlotGet(box) if kind == "slot" else CellGet(box)
            self.bind(out, representation, getting)
        else:
            value = self.pick(out, representation)
            setting = SlotSet(box, value) if kind == "slot" else CellSet(box, value)
            self.bind(out, Representation.VOID, setting)

    def store(self, out: list[Statement]) -> None:
        value = self.pick(out, Representation.VALUE)
        self.bind(
            out, Representation.VOID, GlobalSet("changing", Namespace.PROGRAM, value, checked=True)
        )

    def grad_mode(self, out: list[Statement]) -> None:
        mode = self.bind(out, Representation.GRAD_MODE, SetGradMode(enabled=False))
        for _ in range(self.rng.randint(0, 2)):
            self.apply(out)
        self.bind(out, Representation.VOID, RestoreGradMode(mode))
