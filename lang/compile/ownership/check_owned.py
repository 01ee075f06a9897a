"""The verifier of ownership: every owned name is consumed exactly once on every path.

It does not know how `insert_frees` works.  It walks a function forwards with the set of live owned
names, removes from it what each operation consumes, and proves that

  - a name is bound once in its function, before it is used, and not used after it was consumed;
  - what is not owned (a literal, a variable's value, a borrowed parameter) is never consumed;
  - the branches of an If leave the same names live, and so does every exit of a loop;
  - a `recur` leaves the same names live that were live when the loop began;
  - a free only keeps different fields of its object, while no such object has changed since they
    were read;
  - no name is live at a tail call and at the end of the function.

So the live names are well defined at every operation.  After `place_cleanups` it also proves that
each operation that can fail releases them, except those that it consumes and what is never freed,
and that callers expect a failure.
"""

from collections import Counter
from typing import NoReturn, assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectTailCall,
    Dup,
    Free,
    Function,
    GlobalGet,
    If,
    IndirectTailCall,
    Kept,
    Literal,
    Loop,
    NewSlot,
    Operation,
    Raise,
    Recur,
    Representation,
    SlotGet,
    SlotSet,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.operands import (
    Parameters,
    consumed,
    end_consumed,
    end_operands,
    is_static,
    never_returns,
    operands,
    parameters_by_name,
    repeating_loops,
    returns_immediate,
)
from lambent.lang.compile.ir.shapes import constant_integers, field_of
from lambent.lang.compile.ir.text import place_text
from lambent.lang.compile.types.effects import catches_failures, fails, stops_at_ctrl_c
from lambent.lang.compile.types.memory_use import Changes, find_changes, read_memory
from lambent.lang.compile.types.stack_checks import calls_unchecked
from lambent.lang.primitives.effects import NOTHING, Memory
from lambent.lang.system.dataclass import dataclass, field

# The owned names that are live.
Live = frozenset[str]


class OwnershipError(Exception):
    """A name that is not consumed exactly once: a bug of the compiler."""


def check_owned(program: Anf) -> None:
    """Raise OwnershipError unless every function of the program is in order."""
    functions = program.by_name
    parameters = parameters_by_name(tuple(functions.values()))
    count = len(program.functions) + 1 + len(program.externals)
    assert len(parameters) == count, "two functions have one name"
    changes = find_changes(functions, is_unit=program.is_unit)
    failing = frozenset(f.name for f in functions.values() if f.may_fail)
    tailing = frozenset(f.name for f in functions.values() if f.may_tail)
    cleanups = None
    if program.has_cleanups:
        catching = program.is_open or catches_failures(functions)
        is_open = program.is_open
        cleanups = _Cleanups(failing, tailing, program.uses_tensors, catching, is_open)
    recursive = {f.name for f in functions.values() if f.checks_stack}
    for function in program.own_functions:
        check_function(function, parameters, changes, cleanups)
        if function.checks_stack and calls_unchecked(function, recursive):
            raise OwnershipError(f"{function.name}: it calls before it checks the stack")


def check_function(
    function: Function,
    parameters: Parameters,
    changes: Changes | None = None,
    cleanups: "_Cleanups | None" = None,
) -> None:
    """Raise OwnershipError unless one function is in order.

    changes: what each function may change; None if none changes anything.  cleanups: None before
    they are placed.
    """
    if changes is None:
        changes = Changes(dict.fromkeys(parameters, NOTHING), NOTHING)
    checker = _Checker(function.name, parameters, changes, cleanups)
    checker.integers = constant_integers(function.body)
    checker.repeating = repeating_loops(function.body)
    for parameter in function.parameters:
        checker.bind(
            parameter.name,
            parameter.representation,
            parameter.own and parameter.representation.on_heap,
        )
    owned = {p.name for p in function.parameters if p.own and p.representation.on_heap}
    if cleanups is not None and not function.may_fail and cleanups.stops(function):
        checker.fail("Ctrl-C stops its loop, and callers do not expect that")
    if function.checks_stack and cleanups is not None and not function.may_fail:
        checker.fail("the check of the stack can fail, and callers do not expect that")
    checker.may_fail = function.may_fail
    left = checker.block(function.body, frozenset(owned), tail=True)
    if left:
        checker.fail(f"never consumed: {_names(left)}")


@dataclass(frozen=True, slots=True)
class _Cleanups:
    """What tells which operations need one.  failing: the functions that may fail.  tailing: those
    that may return the trampoline's marker.  catching: whether the program catches failures.
    is_open: as in `core.ir.Program`."""

    failing: frozenset[str]
    tailing: frozenset[str]
    tensors: bool
    catching: bool
    is_open: bool

    def stops(self, function: Function) -> bool:
        return stops_at_ctrl_c(function, self.catching)


@dataclass(frozen=True, slots=True)
class _Head:
    """What a `recur` must preserve: the names live outside of the loop.  variables: how many there
    are; borrowed: which of them are."""

    live: Live
    variables: int
    borrowed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _ShortBorrow:
    """A short borrow: from which container, which objects it reads, after how many changes of them,
    how many blocks enclose it.

    field: which field of the container it is, if that is known."""

    container: str
    field: Kept | None
    read: Memory
    changes: int
    depth: int


@dataclass(slots=True)
class _Checker:
    """One walk through one function.

    types: of every name bound so far.  owned: the names that must be consumed.  immediate: the
    names that may be consumed any number of times.  static: those of objects that are never freed.
    may_fail: whether the function may.
    """

    function: str
    parameters: Parameters
    changes: Changes
    cleanups: _Cleanups | None
    where: Statement | Terminator | None = None  # None for the parameters
    types: dict[str, Representation] = field(default_factory=dict)
    owned: set[str] = field(default_factory=set)
    immediate: set[str] = field(default_factory=set)
    slots: set[str] = field(default_factory=set)
    static: set[str] = field(default_factory=set)
    may_fail: bool = False
    heads: dict[str, _Head] = field(default_factory=dict)
    scope: set[str] = field(default_factory=set)
    bound: list[str] = field(default_factory=list)  # what is in scope, in order
    short_borrows: dict[str, "_ShortBorrow"] = field(default_factory=dict)
    changed: Counter[Memory] = field(default_factory=Counter)  # operations that may have done so
    depth: int = 0  # of blocks
    integers: dict[str, int] = field(default_factory=dict)  # the names of constants
    repeating: frozenset[str] = frozenset()  # the labels of loops with several iterations
    repeated: list[int] = field(default_factory=list)  # the depths of the bodies of such loops
    kept: list[tuple[str, "_ShortBorrow"]] = field(default_factory=list)  # what they were before

    def fail(self, message: str) -> NoReturn:
        raise OwnershipError(f"{self.function}: {message}, at: {place_text(self.where)}")

    def bind(self, name: str, representation: Representation, owned: bool) -> None:
        if name in self.types:
            self.fail(f"{name} is bound twice")
        self.types[name] = representation
        self.scope.add(name)
        self.bound.append(name)
        if owned:
            self.owned.add(name)

    def leave_scope(self, outside: int) -> None:
        """Remove from scope the names bound after the first `outside` ones."""
        self.scope.difference_update(self.bound[outside:])
        del self.bound[outside:]

    def use(self, name: str, live: Live) -> None:
        if name not in self.scope:
            self.fail(f"{name} is not in scope")
        if self.types[name] is Representation.VOID:
            self.fail(f"{name} holds no value")
        if name in self.owned and name not in live:
            self.fail(f"{name} is used after it was consumed")
        if (short_borrow := self.short_borrows.get(name)) is not None:
            self.check_short_borrow(name, short_borrow, live)

    def consume(self, name: str, live: Live) -> Live:
        self.use(name, live)
        if not self.types[name].on_heap or name in self.immediate:
            return live
        if name not in self.owned:
            self.fail(f"{name} is consumed but not owned")
        return live - {name}

    def take(self, names: tuple[str, ...], taken: tuple[bool, ...], live: Live) -> Live:
        """Use every name, then consume those that are taken."""
        if len(names) != len(taken):
            self.fail(f"{len(names)} operands where {len(taken)} are expected")
        for name in names:
            self.use(name, live)
        for name, is_taken in zip(names, taken, strict=True):
            if is_taken:
                live = self.consume(name, live)
        for name, is_taken in zip(names, taken, strict=True):
            if not is_taken:
                self.use(name, live)  # borrowed and consumed by one operation
        return live

    def block(self, block: Block, live: Live, *, tail: bool, own: bool = True) -> Live | None:
        """The names live after the block has yielded; None if it never does.

        own: whether what it yields is owned from there on.
        """
        outside = len(self.bound)
        self.depth += 1
        state: Live | None = live
        last = len(block.statements) - 1
        for i, statement in enumerate(block.statements):
            self.where = statement
            if state is None:
                self.fail("control never comes here")
            in_tail = tail and i == last and block.end == Yield(statement.name)
            state = self.statement(statement, state, tail=in_tail)
        self.where = block.end
        if state is not None:
            self.check_yield(block.end, own=own)
            state = self.end(block, state, tail)
        self.leave_scope(outside)
        self.depth -= 1
        return state

    def statement(self, statement: Statement, live: Live, *, tail: bool) -> Live | None:
        match statement:
            case Bind(name, representation, operation):
                after = self.operation(name, representation, operation, live)
                if self.cleanups is not None:
                    self.check_failure(statement, after - {name}, self.cleanups)
                is_open = self.cleanups is not None and self.cleanups.is_open
                if not is_open and is_static(operation, self.static):
                    self.static.add(name)
                return after
            case Free(name, representation):
                if self.types.get(name) is not representation:
                    self.fail(f"{name} is not a {representation.value}")
                if name not in self.owned:
                    self.fail(f"{name} is freed but not owned")
                return self.keep(statement, live)
            case If():
                return self.branches(statement, live, tail)
            case Loop():
                return self.loop(statement, live, tail)
            case _:
                assert_never(statement)

    def operation(
        self, name: str, representation: Representation, operation: Operation, live: Live
    ) -> Live:
        self.check_slots(operation)
        used, taken = operands(operation), consumed(operation, self.parameters)
        live = self.take(used, taken, live)
        self.changed.update(self.changes.by(operation))
        for operand, is_taken in zip(used, taken, strict=True):
            if not is_taken:
                self.use(operand, live)  # it may not change an object that a borrowed one is in
        if isinstance(operation, Dup) and self.types[operation.operand] is not representation:
            self.fail(f"{name} is of another type than {operation.operand}")
        if isinstance(operation, NewSlot):
            self.slots.add(name)
        if returns_immediate(operation, self.types):
            self.immediate.add(name)
            self.bind(name, representation, owned=False)
            return live
        match operation:
            case Literal() | GlobalGet(owned=False):
                self.bind(name, representation, owned=False)
                return live
            case Apply(arguments=arguments, borrows=True):
                read = read_memory(operation)
                if self.is_short_borrow(arguments[0], read):
                    self.short_borrows[name] = _ShortBorrow(
                        arguments[0],
                        self.field_of(name, representation, operation),
                        read,
                        self.changes_of(read),
                        self.depth,
                    )
                self.bind(name, representation, owned=False)
                return live
            case _:
                self.bind(name, representation, owned=representation.on_heap)
                return live | {name} if representation.on_heap else live

    def field_of(
        self, name: str, representation: Representation, apply: Apply
    ) -> Kept | None:
        if representation is not Representation.VALUE:
            return None
        return field_of(name, apply, self.integers)

    def check_failure(self, bind: Bind, live: Live, cleanups: _Cleanups) -> None:
        """An operation that can fail releases what is live."""
        if fails(bind, self.types, cleanups.failing, tensors=cleanups.tensors):
            if self.function not in cleanups.failing:
                self.fail("it can fail, and callers do not expect that")
            self.check_cleanup(bind.cleanup, live)
        elif bind.cleanup is not None:
            self.fail("a cleanup of what cannot fail")

    def check_cleanup(self, cleanup: tuple[str, ...] | None, live: Live) -> None:
        if self.cleanups is None:
            return
        if cleanup is None:
            self.fail("no cleanup")
        released = frozenset(cleanup)
        if len(released) != len(cleanup):
            self.fail("the cleanup releases a name twice")
        if released != live - self.static:
            self.fail(f"the cleanup differs from what is live: {_names(released ^ live)}")

    def changes_of(self, read: Memory) -> int:
        """How many operations so far may have changed such objects."""
        return sum(self.changed[memory] for memory in read)

    def is_short_borrow(self, container: str, read: Memory) -> bool:
        """Whether a projection from a container is borrowed for a short time only: the function
        may change such objects, or does not borrow the container for its whole time."""
        return (
            container in self.owned
            or container in self.short_borrows
            or bool(self.changes.functions[self.function] & read)
        )

    def keep(self, free: Free, live: Live) -> Live:
        """Free a name; the fields of it that are kept are owned from here on."""
        containers = {kept.container for kept in free.kept}
        if len(containers) > 1 or len({kept.field for kept in free.kept}) != len(free.kept):
            self.fail("it keeps a field twice, or fields of different objects")
        for kept in free.kept:
            name = kept.name
            self.use(name, live)
            borrow = self.short_borrows.pop(name, None)
            if borrow is None or (borrow.container, borrow.field) != (free.name, kept):
                self.fail(f"{name} is kept but not the borrowed {kept.field} of {free.name}")
            self.owned.add(name)
            self.kept.append((name, borrow))
        return self.consume(free.name, live) | set(free.keeps)

    def check_short_borrow(self, name: str, short_borrow: "_ShortBorrow", live: Live) -> None:
        """A short borrow: its container is still live, and no object has changed."""
        if short_borrow.container in self.owned and short_borrow.container not in live:
            self.fail(f"{name} is used after its container, {short_borrow.container}, was consumed")
        changes = self.changes_of(short_borrow.read)
        if short_borrow.changes != changes or self.is_repeated_in(short_borrow.depth):
            self.fail(
                f"{name} is used when its container, {short_borrow.container}, may have changed"
            )
        if short_borrow.container in self.short_borrows:
            self.fail(f"{name} comes from {short_borrow.container}, which is a short borrow itself")

    def is_repeated_in(self, depth: int) -> bool:
        """Whether control may come here several times for once at that depth."""
        return bool(self.repeated) and self.repeated[-1] > depth

    def check_borrowed(self, name: str, what: str) -> None:
        """A borrowed value must outlive the function."""
        if name in self.owned or name in self.short_borrows:
            self.fail(f"{what} {name}, which is owned here")

    def check_slots(self, operation: Operation) -> None:
        """A slot is an operand of SlotGet and SlotSet only, and they have no other."""
        names = operands(operation)
        if isinstance(operation, (SlotGet, SlotSet)):
            if operation.slot not in self.slots:
                self.fail(f"{operation.slot} is not a slot")
            names = names[1:]
        for name in names:
            if name in self.slots:
                self.fail(f"the slot {name} is used as a value")

    def branches(self, statement: If, live: Live, tail: bool) -> Live | None:
        self.use(statement.test, live)
        if self.types[statement.test] is not Representation.BOOLEAN:
            self.fail(f"{statement.test} is tested but not a boolean")
        where, before, mark = self.where, self.changed.copy(), len(self.kept)
        then = self.block(statement.then, live, tail=tail, own=statement.own)
        changed, kept = self.changed, self.restore(mark)
        self.changed = before.copy()
        orelse = self.block(statement.orelse, live, tail=tail, own=statement.own)
        if orelse is None:
            self.changed = before
            self.restore(mark)
        if then is not None:
            self.changed += changed - before
            self.own_kept(kept)
        self.where = where
        if then is not None and orelse is not None and then != orelse:
            self.fail(f"consumed in one branch only: {_names(then ^ orelse)}")
        return self.bind_result(statement, orelse if then is None else then)

    def restore(self, mark: int) -> list[tuple[str, _ShortBorrow]]:
        """Undo what frees have kept since a point; returns it."""
        kept = self.kept[mark:]
        del self.kept[mark:]
        for name, borrow in kept:
            self.owned.remove(name)
            self.short_borrows[name] = borrow
        return kept

    def own_kept(self, kept: list[tuple[str, _ShortBorrow]]) -> None:
        for name, borrow in kept:
            if self.short_borrows.pop(name, None) is not None:
                self.owned.add(name)
                self.kept.append((name, borrow))

    def loop(self, statement: Loop, live: Live, tail: bool) -> Live | None:
        initials = tuple(variable.initial for variable in statement.variables)
        live = self.take(initials, tuple(v.own for v in statement.variables), live)
        if statement.label in self.heads:
            self.fail(f"two loops are called {statement.label}")
        outside = len(self.bound)
        for variable in statement.variables:
            if self.types[variable.initial] is not variable.representation:
                self.fail(f"{variable.name} begins with another type")
            owned = variable.own and variable.representation.on_heap
            if variable.representation.on_heap and not owned:
                self.check_borrowed(variable.initial, f"{variable.name} borrows")
            self.bind(variable.name, variable.representation, owned=owned)
        borrowed = tuple(i for i, v in enumerate(statement.variables) if not v.own)
        self.heads[statement.label] = _Head(live, len(initials), borrowed)
        iteration = live | {
            v.name for v in statement.variables if v.own and v.representation.on_heap
        }
        if self.may_fail:
            self.check_cleanup(statement.cleanup, iteration)
        where = self.where
        if statement.label in self.repeating:
            self.repeated.append(self.depth + 1)
        after = self.block(statement.body, iteration, tail=tail, own=statement.own)
        if statement.label in self.repeating:
            self.repeated.pop()
        self.where = where
        self.heads[statement.label] = _Head(live, -1, borrowed)  # ended: no recur may name it
        self.leave_scope(outside)
        return self.bind_result(statement, after)

    def bind_result(self, statement: If | Loop, live: Live | None) -> Live | None:
        owned = statement.representation.on_heap and statement.own
        self.bind(statement.name, statement.representation, owned=owned)
        return live | {statement.name} if live is not None and owned else live

    def check_yield(self, end: Terminator, *, own: bool) -> None:
        """It yields a borrowed value if that is expected, and only then."""
        if not isinstance(end, Yield):
            return
        if end.borrowed is own:
            self.fail(f"{end.name} is to be {'owned' if own else 'borrowed'}")
        if end.borrowed:
            self.check_borrowed(end.name, "it yields")

    def end(self, block: Block, live: Live, tail: bool) -> Live | None:
        """The names that a Yield leaves live; None after any other end."""
        end = block.end
        if isinstance(end, Raise):
            if not block.statements or not never_returns(block.statements[-1]):
                self.fail("raise after a statement that returns")
            return None
        for name in end_operands(end):
            if name in self.slots:
                self.fail(f"the slot {name} is used as a value")
        live = self.take(end_operands(end), end_consumed(end, self.parameters), live)
        match end:
            case Yield():
                return live
            case Recur():
                self.check_recur(end, live)
            case DirectTailCall() | IndirectTailCall():
                self.check_tail(live, tail)
                if self.cleanups is not None:
                    self.check_callers(end, self.cleanups)
            case _:
                assert_never(end)
        return None

    def check_recur(self, recur: Recur, live: Live) -> None:
        head, count = self.heads.get(recur.label), len(recur.arguments)
        if head is None or head.variables < 0:
            self.fail(f"recur outside of the loop {recur.label}")
        if count != head.variables:
            self.fail(f"recur with {count} operands for {head.variables} variables")
        if recur.borrowed != head.borrowed:
            self.fail("recur moves into borrowed variables")
        for index in recur.borrowed:
            self.check_borrowed(recur.arguments[index], "a borrowed variable goes on with")
        if live != head.live:
            self.fail(f"consumed in some iterations only: {_names(live ^ head.live)}")

    def check_callers(self, end: DirectTailCall | IndirectTailCall, cleanups: _Cleanups) -> None:
        """The callers of the function expect what a tail call may return."""
        callee = end.function if isinstance(end, DirectTailCall) else None
        if (callee is None or callee in cleanups.failing) and self.function not in cleanups.failing:
            self.fail("the tail call can fail, and callers do not expect that")
        if (callee is None or callee in cleanups.tailing) and self.function not in cleanups.tailing:
            self.fail("it returns to the trampoline, and callers do not expect that")

    def check_tail(self, live: Live, tail: bool) -> None:
        if not tail:
            self.fail("a tail call that is not the last thing its function does")
        if live:
            self.fail(f"live across a tail call: {_names(live)}")


def _names(names: frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(names))
