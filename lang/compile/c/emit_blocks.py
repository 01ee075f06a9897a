"""Blocks of ANF as structured C: branches are `if`, loops are `for (;;)`.

Where a block's value goes is its destination: out of the function (`return`), or into a variable.
A branch or a loop that ends a block hands the block's destination on, so that tail positions return
directly and no variable carries their value.

    i = loop next(i = 0)              =>  int64_t i = 0;
      t = i < n                           for (;;) {
      if t                                    bool t = i < n;
        j = i + 1                             if (t) {
        recur next(j)                             ...
      else                                        i = j;
        yield i                                   continue;
                                              }
                                              return i;
                                          }
"""

from dataclasses import dataclass, field
from typing import assert_never

from lambent.lang.compile.c.emit_operations import consume, emit_operation, emit_raise
from lambent.lang.compile.c.emit_tables import returns_status
from lambent.lang.compile.c.frame import Frame, Label
from lambent.lang.compile.c.names import c_suffix
from lambent.lang.compile.ir.anf import (
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Free,
    If,
    IndirectTailCall,
    Loop,
    LoopVariable,
    Raise,
    Recur,
    Representation,
    Statement,
    Yield,
)
from lambent.lang.compile.ir.operands import all_blocks


@dataclass(slots=True)
class Destination:
    """Where the value of a block goes.

    variable: the C variable that it is assigned to; None if nobody wants it.
    returns: it leaves the function instead.
    loops: how many loops stand around the place where control goes on.
    live: what is live there, once a block has come this way.
    done: the label of that place, for jumps out of more than one loop.
    """

    variable: str | None
    returns: bool
    loops: int
    done: Label
    live: dict[str, None] | None = None


@dataclass(slots=True)
class _Turning:
    """A loop that is being written.  live: what is live when a turn begins, but for its variables.
    breaks: whether control leaves it by `break`."""

    loop: Loop
    live: dict[str, None]
    next: Label
    breaks: bool = False


@dataclass(slots=True)
class Blocks:
    """Writes the blocks of one function."""

    frame: Frame
    turning: list[_Turning] = field(default_factory=list)

    def function_body(self, body: Block) -> None:
        """Write the whole body; every path returns."""
        returning = Destination(None, True, 0, Label(""))
        falls = self._block(body, returning)
        assert not falls, self.frame.function.name

    def _block(self, block: Block, destination: Destination) -> bool:
        """Write a block; whether control comes out at its end."""
        *before, last = block.statements or (None,)
        for statement in before:
            assert statement is not None
            if not self._statement(statement):
                return False
        match last, block.end:
            case If() | Loop(), Yield(name) if name == last.name:
                return self._branching(last, destination)
            case Bind(), Raise():
                emit_raise(self.frame, last)
                return False
            case None, _:
                pass
            case _:
                if not self._statement(last):
                    return False
        return self._end(block, destination)

    def _statement(self, statement: Statement) -> bool:
        """Write a statement; whether control goes on behind it."""
        match statement:
            case Bind():
                emit_operation(self.frame, statement)
            case Free(name):
                self.frame.release(name)
            case If(name, representation) | Loop(name, representation):
                wanted = representation is not Representation.VOID and (
                    representation.on_heap or name in self.frame.used
                )
                declared = len(self.frame.body)
                variable = (
                    self.frame.bind(name, representation, None, used=True) if wanted else None
                )
                done = Label(self.frame.labels.fresh(f"done_{c_suffix(name)}"))
                destination = Destination(variable, False, len(self.turning), done)
                self._branching(statement, destination)
                if destination.live is None:
                    if wanted:
                        del self.frame.body[declared]  # nothing comes that it could hold
                    return False
                self.frame.body.append(done)
                self.frame.live = destination.live
                if wanted:
                    self.frame.acquire(name)
            case _:
                assert_never(statement)
        return True

    def _branching(self, statement: If | Loop, destination: Destination) -> bool:
        self.frame.mark(statement.span)
        if isinstance(statement, If):
            return self._if(statement, destination)
        return self._loop(statement, destination)

    # Branches.

    def _if(self, branch: If, destination: Destination) -> bool:
        frame = self.frame
        head = len(frame.body)
        live = dict(frame.live)
        frame.say(f"if ({frame.operand(branch.test)}) {{")
        then_falls = self._indented(branch.then, destination)
        if not then_falls:
            # The rest of the block is what happens otherwise; it need not stand any deeper.
            frame.say("}")
            frame.live = live
            return self._block(branch.orelse, destination)
        then_is_empty = len(frame.body) == head + 1
        if then_is_empty:
            frame.body.pop()
            frame.say(f"if (!{frame.operand(branch.test)}) {{")
        else:
            frame.say("} else {")
        head = len(frame.body)
        frame.live = live
        self._indented(branch.orelse, destination)
        if len(frame.body) == head:
            frame.body.pop()
            if then_is_empty:
                frame.say(f"(void){frame.operand(branch.test)};")
                return True
        frame.say("}")
        return True

    def _indented(self, block: Block, destination: Destination) -> bool:
        self.frame.depth += 1
        falls = self._block(block, destination)
        self.frame.depth -= 1
        return falls

    # Loops.

    def _loop(self, loop: Loop, destination: Destination) -> bool:
        frame = self.frame
        if not loop.variables and not _comes_round(loop):
            return self._scope(loop, destination)
        frame.consume(v.initial for v in loop.variables if v.own)
        turning = _Turning(loop, dict(frame.live), Label(""))
        turning.next = Label(frame.labels.fresh(f"next_{c_suffix(loop.label)}"))
        for variable in loop.variables:
            if self._is_wanted(variable):
                frame.bind(variable.name, variable.representation, frame.operand(variable.initial))
        for variable in loop.variables:
            if variable.representation.on_heap and variable.own:
                frame.acquire(variable.name)
        frame.say("for (;;) {")
        frame.body.append(turning.next)
        self._poll()
        self.turning.append(turning)
        inlined = [loop.inlined] if loop.inlined else []
        frame.inlined += inlined
        self._indented(loop.body, destination)
        del frame.inlined[len(frame.inlined) - len(inlined) :]
        self.turning.pop()
        frame.say("}")
        return turning.breaks

    def _scope(self, loop: Loop, destination: Destination) -> bool:
        """A loop without a second turn: a procedure's body in the midst of another's."""
        inlined = [loop.inlined] if loop.inlined else []
        self.frame.inlined += inlined
        falls = self._block(loop.body, destination)
        del self.frame.inlined[len(self.frame.inlined) - len(inlined) :]
        return falls

    def _is_wanted(self, variable: LoopVariable) -> bool:
        return variable.representation.on_heap or variable.name in self.frame.used

    def _poll(self) -> None:
        """Let Ctrl-C stop the loop."""
        if self.frame.masks_interrupts:
            return
        self.frame.depth += 1
        if self.frame.function.may_fail:
            self.frame.fail_if("rt_failed_status(rt_poll())", None)
        else:
            self.frame.say("rt_poll_or_leave();")
        self.frame.depth -= 1

    # Ends.

    def _end(self, block: Block, destination: Destination) -> bool:
        match block.end:
            case Yield(name):
                return self._yield(name, destination)
            case Recur():
                self._recur(block.end)
            case DirectTailCall():
                self._direct_tail_call(block.end)
            case IndirectTailCall():
                self._indirect_tail_call(block.end)
            case Raise():
                self.frame.leave(None)
            case _:
                assert_never(block.end)
        return False

    def _yield(self, name: str, destination: Destination) -> bool:
        frame = self.frame
        frame.consume([name])
        if destination.returns:
            self._return(
                frame.operand(name) if frame.types[name] is not Representation.VOID else None
            )
            return False
        if destination.variable is not None:
            frame.say(f"{destination.variable} = {frame.operand(name)};")
        if destination.live is None:
            destination.live = dict(frame.live)
        assert destination.live.keys() == frame.live.keys(), (frame.function.name, name)
        return self._go_on(destination)

    def _go_on(self, destination: Destination) -> bool:
        """Go to where the destination is; whether control just falls through to there."""
        inside = len(self.turning) - destination.loops
        if inside == 0:
            return True
        if inside == 1:
            self.turning[-1].breaks = True
            self.frame.say("break;")
        else:
            destination.done.used = True
            self.frame.say(f"goto {destination.done.name};")
        return False

    def _return(self, value: str | None) -> None:
        frame = self.frame
        assert not frame.live, (frame.function.name, frame.live)
        if not returns_status(frame.function):
            frame.say("return;" if value is None else f"return {value};")
            return
        if value is not None:
            frame.say(f"*result = {value};")
        frame.say("return 0;")

    def _recur(self, recur: Recur) -> None:
        frame = self.frame
        turning = next(t for t in reversed(self.turning) if t.loop.label == recur.label)
        variables = turning.loop.variables
        moves = [
            (frame.operand(variable.name), frame.operand(argument), variable.representation)
            for variable, argument in zip(variables, recur.arguments, strict=True)
            if self._is_wanted(variable) and variable.name != argument
        ]
        frame.consume(recur.arguments)
        assert frame.live.keys() == turning.live.keys(), (frame.function.name, recur)
        self._assign(moves)
        if turning is self.turning[-1]:
            frame.say("continue;")
        else:
            turning.next.used = True
            frame.say(f"goto {turning.next.name};")

    def _assign(self, moves: list[tuple[str, str, Representation]]) -> None:
        """Assign all at once: what is read after it has been written is put aside first."""
        frame = self.frame
        aside: dict[str, str] = {}
        for index, (target, _, representation) in enumerate(moves):
            if any(source == target for _, source, _ in moves[index + 1 :]):
                kept = frame.names.fresh(f"{target}_before")
                frame.declare(kept, representation, target)
                aside[target] = kept
        written: set[str] = set()
        for target, source, _ in moves:
            frame.say(f"{target} = {aside[source] if source in written else source};")
            written.add(target)

    def _direct_tail_call(self, tail: DirectTailCall) -> None:
        frame = self.frame
        callee = frame.tables.functions[tail.function]
        texts = frame.operands(tail.arguments)
        frame.mark(tail.span)
        frame.here_if(tail, tail.span)
        consume(frame, DirectCall(tail.function, tail.arguments))
        symbol = frame.tables.call(tail.function)
        here, there = returns_status(frame.function), returns_status(callee)
        assert callee.result is frame.function.result, (frame.function.name, tail)
        assert frame.function.may_fail or not callee.may_fail, (frame.function.name, tail)
        if here and there and callee.result is not Representation.VOID:
            texts.append("result")
        call = f"{symbol}({', '.join(texts)})"
        if here and not there:
            frame.say(f"{call};" if callee.result is Representation.VOID else f"*result = {call};")
            frame.say("return 0;")
        elif callee.result is Representation.VOID and not here:
            frame.say(f"{call};")
            frame.say("return;")
        else:
            self._return_call(call)

    def _return_call(self, call: str) -> None:
        assert not self.frame.live, (self.frame.function.name, self.frame.live, call)
        self.frame.say(f"return {call};")

    def _indirect_tail_call(self, tail: IndirectTailCall) -> None:
        frame = self.frame
        texts = frame.operands(tail.arguments)
        callee = frame.operand(tail.callee)
        frame.mark(tail.span)
        frame.here_if(tail, tail.span)
        frame.consume([tail.callee, *tail.arguments])
        symbol = "rt_tail_call_spread" if tail.spread else "rt_tail_call"
        array = f"(rt_value[]){{{', '.join(texts)}}}" if texts else "NULL"
        call = f"{symbol}({callee}, {len(texts)}, {array})"
        records = frame.records(tail.span)
        if not records:
            self._return_call(call)
            return
        assert not frame.live, (frame.function.name, frame.live, call)
        left = frame.names.fresh("tail")
        frame.declare(left, Representation.VALUE, call)
        noted = records[0] if len(records) == 1 else f"{{ {' '.join(records)} }}"
        frame.say(f"if ({left} == RT_ERROR) {noted}")
        frame.say(f"return {left};")


def _comes_round(loop: Loop) -> bool:
    ends = [block.end for block in all_blocks(loop.body)]
    return any(isinstance(end, Recur) and end.label == loop.label for end in ends)
