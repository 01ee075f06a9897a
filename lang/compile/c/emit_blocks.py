"""Blocks of ANF as structured C: branches are `if`, loops are `for (;;)`.

A block's value has a destination: it is returned, or assigned to a variable.  A branch or a loop at
the end of a block has the destination of the block, so tail positions return directly.

    i = loop next(i = 0)              =>  int64_t i = 0LL;
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

from typing import assert_never

from lambent.lang.compile.c.emit_operations import (
    emit_keeping_free,
    emit_operation,
    emit_raise,
)
from lambent.lang.compile.c.emit_tables import returns_status
from lambent.lang.compile.c.function_writer import FunctionWriter, Label
from lambent.lang.compile.c.names import c_name
from lambent.lang.compile.ir.anf import (
    Bind,
    Block,
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
from lambent.lang.compile.tensors.location_records import copy_may_create_tensors, is_copied
from lambent.lang.system.dataclass import dataclass, field


@dataclass(slots=True)
class Destination:
    """Where the value of a block goes.

    variable: the C variable that it is assigned to; None if it is not used.
    returns: it is returned instead.
    loops: how many loops enclose the point where control continues.
    done: the label of that point, for jumps out of more than one loop.
    reached: whether a block has come there.
    """

    variable: str | None
    returns: bool
    loops: int
    done: Label
    reached: bool = False


@dataclass(slots=True)
class _OpenLoop:
    """A loop that is being written.  breaks: whether control leaves it by `break`."""

    loop: Loop
    next: Label
    breaks: bool = False


@dataclass(slots=True)
class Blocks:
    """Writes the blocks of one function."""

    writer: FunctionWriter
    open_loops: list[_OpenLoop] = field(default_factory=list)
    creating: dict[int, bool] = field(default_factory=dict)  # what is known of its blocks

    def function_body(self, body: Block) -> None:
        """Write the whole body; every path returns."""
        returning = Destination(None, True, 0, Label(""))
        falls = self._block(body, returning)
        assert not falls, self.writer.function.name

    def _block(self, block: Block, destination: Destination) -> bool:
        """Write a block; whether control comes to its end."""
        *before, last = block.statements or (None,)
        for statement in before:
            assert statement is not None
            if not self._statement(statement):
                return False
        match last, block.end:
            case If() | Loop(), Yield(name) if name == last.name:
                return self._branching(last, destination)
            case Bind(inlined=inlined), Raise():
                with self.writer.inside(inlined):
                    emit_raise(self.writer, last)
                return False
            case None, _:
                pass
            case _:
                if not self._statement(last):
                    return False
        return self._end(block, destination)

    def _statement(self, statement: Statement) -> bool:
        """Write a statement; whether control continues after it."""
        match statement:
            case Bind(inlined=inlined):
                with self.writer.inside(inlined):
                    emit_operation(self.writer, statement)
            case Free(name, keeps=()):
                self.writer.release(name)
            case Free():
                emit_keeping_free(self.writer, statement)
            case If(name, representation) | Loop(name, representation):
                needed = representation is not Representation.VOID and (
                    (representation.on_heap and statement.own) or name in self.writer.used
                )
                declared = len(self.writer.body)
                variable = (
                    self.writer.bind(name, representation, None, used=True) if needed else None
                )
                done = Label(self.writer.labels.fresh(f"done_{c_name(name)}"))
                destination = Destination(variable, False, len(self.open_loops), done)
                self._branching(statement, destination)
                if not destination.reached:
                    if needed:
                        del self.writer.body[declared]  # no branch yields a value
                    return False
                self.writer.body.append(done)
            case _:
                assert_never(statement)
        return True

    def _branching(self, statement: If | Loop, destination: Destination) -> bool:
        self.writer.line_directive(statement.span)
        if isinstance(statement, If):
            return self._if(statement, destination)
        return self._loop(statement, destination)

    # Branches.

    def _if(self, branch: If, destination: Destination) -> bool:
        writer = self.writer
        head = len(writer.body)
        writer.write(f"if ({writer.operand(branch.test)}) {{")
        then_falls = self._indented(branch.then, destination)
        if not then_falls:
            # The rest of the block is the other branch; it needs no indentation.
            writer.write("}")
            return self._block(branch.orelse, destination)
        then_is_empty = len(writer.body) == head + 1
        if then_is_empty:
            writer.body.pop()
            writer.write(f"if (!{writer.operand(branch.test)}) {{")
        else:
            writer.write("} else {")
        head = len(writer.body)
        self._indented(branch.orelse, destination)
        if len(writer.body) == head:
            writer.body.pop()
            if then_is_empty:
                writer.write(f"(void){writer.operand(branch.test)};")
                return True
        writer.write("}")
        return True

    def _indented(self, block: Block, destination: Destination) -> bool:
        self.writer.depth += 1
        falls = self._block(block, destination)
        self.writer.depth -= 1
        return falls

    # Loops.

    def _may_create_tensors(self, copy: Loop) -> bool:
        creators = self.writer.tables.creators
        return copy_may_create_tensors(copy.body, creators, self.creating)

    def _loop(self, loop: Loop, destination: Destination) -> bool:
        writer = self.writer
        if writer.tables.tensors and is_copied(loop) and self._may_create_tensors(loop):
            writer.record_call(loop)
        if not loop.variables and not _iterates(loop):
            return self._scope(loop, destination)
        open_loop = _OpenLoop(loop, Label(""))
        open_loop.next = Label(writer.labels.fresh(f"next_{c_name(loop.label)}"))
        for variable in loop.variables:
            if self._is_needed(variable):
                writer.bind(
                    variable.name, variable.representation, writer.operand(variable.initial)
                )
        writer.write("for (;;) {")
        writer.body.append(open_loop.next)
        writer.cleanup = loop.cleanup
        self._poll()
        self.open_loops.append(open_loop)
        with writer.inside((loop.inlined,) if loop.inlined else ()):
            self._indented(loop.body, destination)
        self.open_loops.pop()
        writer.write("}")
        return open_loop.breaks

    def _scope(self, loop: Loop, destination: Destination) -> bool:
        """A loop without a second iteration: the body of an inlined procedure."""
        with self.writer.inside((loop.inlined,) if loop.inlined else ()):
            return self._block(loop.body, destination)

    def _is_needed(self, variable: LoopVariable) -> bool:
        """Whether it is read, or owns a value that is freed."""
        owns = variable.own and variable.representation.on_heap
        return owns or variable.name in self.writer.used

    def _poll(self) -> None:
        """Let Ctrl-C stop the loop."""
        if self.writer.masks_interrupts:
            return
        self.writer.depth += 1
        if self.writer.function.may_fail:
            self.writer.fail_if("rt_failed_status(rt_poll())", None)
        else:
            self.writer.write("rt_poll_or_leave();")
        self.writer.depth -= 1

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
                self.writer.leave(None)
            case _:
                assert_never(block.end)
        return False

    def _yield(self, name: str, destination: Destination) -> bool:
        writer = self.writer
        if destination.returns:
            self._return(
                writer.operand(name) if writer.types[name] is not Representation.VOID else None
            )
            return False
        if destination.variable is not None:
            writer.write(f"{destination.variable} = {writer.operand(name)};")
        destination.reached = True
        return self._continue_at(destination)

    def _continue_at(self, destination: Destination) -> bool:
        """Jump to the destination; whether control falls through to it instead."""
        inside = len(self.open_loops) - destination.loops
        if inside == 0:
            return True
        if inside == 1:
            self.open_loops[-1].breaks = True
            self.writer.write("break;")
        else:
            destination.done.used = True
            self.writer.write(f"goto {destination.done.name};")
        return False

    def _return(self, value: str | None) -> None:
        writer = self.writer
        if not returns_status(writer.function):
            writer.write("return;" if value is None else f"return {value};")
            return
        if value is not None:
            writer.write(f"*result = {value};")
        writer.write("return 0;")

    def _recur(self, recur: Recur) -> None:
        writer = self.writer
        open_loop = next(o for o in reversed(self.open_loops) if o.loop.label == recur.label)
        variables = open_loop.loop.variables
        moves = [
            (writer.operand(variable.name), writer.operand(argument), variable.representation)
            for variable, argument in zip(variables, recur.arguments, strict=True)
            if self._is_needed(variable) and variable.name != argument
        ]
        self._assign(moves)
        if open_loop is self.open_loops[-1]:
            writer.write("continue;")
        else:
            open_loop.next.used = True
            writer.write(f"goto {open_loop.next.name};")

    def _assign(self, moves: list[tuple[str, str, Representation]]) -> None:
        """Assign all at once: a variable that is read after it has been written is saved first."""
        writer = self.writer
        saved: dict[str, str] = {}
        for index, (target, _, representation) in enumerate(moves):
            if any(source == target for _, source, _ in moves[index + 1 :]):
                kept = writer.names.fresh(f"{target}_before")
                writer.declare(kept, representation, target)
                saved[target] = kept
        written: set[str] = set()
        for target, source, _ in moves:
            writer.write(f"{target} = {saved[source] if source in written else source};")
            written.add(target)

    def _direct_tail_call(self, tail: DirectTailCall) -> None:
        writer = self.writer
        callee = writer.tables.functions[tail.function]
        texts = writer.operands(tail.arguments)
        writer.line_directive(tail.span)
        writer.record_location(tail, tail.span)
        symbol = writer.tables.call(tail.function)
        here, there = returns_status(writer.function), returns_status(callee)
        assert callee.result is writer.function.result, (writer.function.name, tail)
        assert writer.function.may_fail or not callee.may_fail, (writer.function.name, tail)
        if here and there and callee.result is not Representation.VOID:
            texts.append("result")
        call = f"{symbol}({', '.join(texts)})"
        if here and not there:
            writer.write(
                f"{call};" if callee.result is Representation.VOID else f"*result = {call};"
            )
            writer.write("return 0;")
        elif callee.result is Representation.VOID and not here:
            writer.write(f"{call};")
            writer.write("return;")
        else:
            writer.write(f"return {call};")

    def _indirect_tail_call(self, tail: IndirectTailCall) -> None:
        writer = self.writer
        texts = writer.operands(tail.arguments)
        callee = writer.operand(tail.callee)
        writer.line_directive(tail.span)
        writer.record_location(tail, tail.span)
        symbol = "rt_tail_call_spread" if tail.spread else "rt_tail_call"
        array = f"(rt_value[]){{{', '.join(texts)}}}" if texts else "NULL"
        call = f"{symbol}({callee}, {len(texts)}, {array})"
        records = writer.records(tail.span)
        if not records:
            writer.write(f"return {call};")
            return
        left = writer.names.fresh("tail")
        writer.declare(left, Representation.VALUE, call)
        noted = records[0] if len(records) == 1 else f"{{ {' '.join(records)} }}"
        writer.write(f"if ({left} == RT_ERROR) {noted}")
        writer.write(f"return {left};")


def _iterates(loop: Loop) -> bool:
    ends = [block.end for block in all_blocks(loop.body)]
    return any(isinstance(end, Recur) and end.label == loop.label for end in ends)
