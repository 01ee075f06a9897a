"""Cleanups: writes at each operation that can fail which names a failure releases.

    t1 = dup x                         t1 = dup x
    t2 = car(y)              =>        t2 = car(y)        failing frees x, t1
    t3 = cons(t1, t2)                  t3 = cons(t1, t2)

The names are those that are owned and live, in the order in which they were acquired, without what
the operation has consumed: that is gone even if it fails.  `emit_c` prints them as labels, and
`check_owned` proves that none is missing.
"""

from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    Free,
    Function,
    If,
    Loop,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.blocks import map_functions
from lambent.lang.compile.ir.operands import (
    Parameters,
    consumed,
    is_static,
    never_returns,
    operands,
    owns_result,
    parameters_by_name,
)
from lambent.lang.compile.types.effects import fails
from lambent.lang.system.dataclass import dataclass, field, replace

# The owned names that are live, the last acquired last.
Live = dict[str, None]


def place_cleanups(program: Anf) -> Anf:
    """The program with a cleanup wherever it can fail."""
    functions = (*program.own_functions, *program.externals)
    parameters = parameters_by_name(functions)
    failing = frozenset(f.name for f in functions if f.may_fail)
    tensors, is_open = program.uses_tensors, program.is_open
    placed = map_functions(
        program, lambda f: _Placer(f, parameters, failing, tensors, is_open).run()
    )
    return replace(placed, has_cleanups=True)


@dataclass(slots=True)
class _Placer:
    """One walk through one function.

    failing: the functions that may fail.  live: None where control does not come.  cleanup: the
    names in live, until it changes.  static: the names that stand for constants; in an open program
    these are counted, too, because its code is freed.
    """

    function: Function
    parameters: Parameters
    failing: frozenset[str]
    tensors: bool
    is_open: bool
    live: Live | None = field(default_factory=dict)
    cleanup: tuple[str, ...] | None = None
    types: dict[str, Representation] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)

    def run(self) -> Function:
        for parameter in self.function.parameters:
            self.types[parameter.name] = parameter.representation
            if parameter.own:
                self.acquire(parameter.name)
        return replace(self.function, body=self.block(self.function.body))

    # The live names.

    def acquire(self, name: str) -> None:
        if self.types[name].on_heap:
            assert self.live is not None and name not in self.live, name
            self.live[name] = None
            self.cleanup = None

    def consume(self, names: tuple[str, ...], taken: tuple[bool, ...]) -> None:
        assert self.live is not None
        for name, is_taken in zip(names, taken, strict=True):
            if is_taken and name in self.live:
                del self.live[name]
                self.cleanup = None

    def continue_with(self, live: Live | None) -> None:
        self.live = live
        self.cleanup = None

    def live_names(self) -> tuple[str, ...]:
        if self.cleanup is None:
            assert self.live is not None
            self.cleanup = tuple(self.live)
        return self.cleanup

    # Blocks.

    def block(self, block: Block) -> Block:
        statements = tuple([self.statement(statement) for statement in block.statements])
        self.end(block.end)
        return Block(statements, block.end)

    def end(self, end: Terminator) -> None:
        if isinstance(end, Yield) and self.live is not None:
            self.consume((end.name,), (not end.borrowed,))
            return
        self.continue_with(None)

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Bind():
                return self.bind(statement)
            case Free(name):
                self.consume((name,), (True,))
                for kept in statement.keeps:
                    self.acquire(kept)
                return statement
            case If(then=then, orelse=orelse):
                before = dict(self.live or {})
                then = self.block(then)
                after = self.live
                self.continue_with(before)
                orelse = self.block(orelse)
                self.continue_with(self.live if after is None else after)
                self.result(statement)
                return replace(statement, then=then, orelse=orelse)
            case Loop():
                self.enter(statement)
                cleanup = self.live_names() if self.function.may_fail else None
                body = self.block(statement.body)
                self.result(statement)
                return replace(statement, body=body, cleanup=cleanup)
            case _:
                assert_never(statement)

    def enter(self, loop: Loop) -> None:
        """The names of a loop's variables instead of their initial values."""
        initials = tuple([variable.initial for variable in loop.variables])
        self.consume(initials, tuple([variable.own for variable in loop.variables]))
        for variable in loop.variables:
            self.types[variable.name] = variable.representation
            if variable.own:
                self.acquire(variable.name)

    def result(self, statement: If | Loop) -> None:
        self.types[statement.name] = statement.representation
        if self.live is not None and statement.own:
            self.acquire(statement.name)

    def bind(self, bind: Bind) -> Bind:
        name, operation = bind.name, bind.operation
        self.types[name] = bind.representation
        self.consume(operands(operation), consumed(operation, self.parameters))
        cleanup = None
        if fails(bind, self.types, self.failing, tensors=self.tensors):
            cleanup = self.live_names()
        if not self.is_open and is_static(operation, self.static):
            self.static.add(name)
        elif owns_result(operation, self.types) and not never_returns(bind):
            self.acquire(name)
        return bind if cleanup is None else replace(bind, cleanup=cleanup)
