"""Borrow inference: which parameters, projections and loop variables own no reference.

A function may borrow an argument from its caller if all callers keep it alive anyway: there it is
borrowed, or a constant, or needed after the call, or read from an object that is.  A function that
does not allocate may borrow others, too, because it does not need the memory that they keep alive;
but not one that it consumes itself.  A function that changes no pairs also borrows the fields that
it reads from borrowed pairs; the same holds for vectors and records.

    (define (sum l) (if (null? l) 0 (+ (car l) (sum (cdr l)))))
    =>  fn sum(borrowed l: value)
          t1 = borrowed car(l)
          t2 = borrowed cdr(l)
          t3 = call sum(t2)

All functions have short borrows: a projection that is only read while its container is live and no
object changes, such as both elements in `(< (car a) (car b))` if a and b are used later.

Functions that allocate own all other arguments, so that memory is freed at its last use.  Borrowing
does not change the time of any free in them.

The captures of a closure are owned if its function would otherwise duplicate most of them: the last
call of a closure then takes them out of it (`rt_take_captures`).

Borrowing never costs a tail call that the stack needs: a parameter is owned if a tail call passes
an owned value to it.  Only functions that do not allocate, and whose own tail calls end, are called
and returned from instead, and the caller frees what they have borrowed.  Runs before
`insert_frees`, which does not free what this pass has made borrowed.
"""

from collections.abc import Mapping, Set
from operator import is_

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Free,
    Function,
    GlobalGet,
    If,
    IndirectTailCall,
    IsAbsent,
    Literal,
    Loop,
    Operation,
    Parameter,
    Recur,
    Representation,
    Statement,
    Truth,
    Yield,
)
from lambent.lang.compile.ir.blocks import ends_in, map_functions, moves_in, statements_in
from lambent.lang.compile.ir.operands import (
    Parameters,
    all_blocks,
    consumed,
    end_consumed,
    end_operands,
    never_returns,
    operands,
    returns_immediate,
    statement_operands,
)
from lambent.lang.compile.ownership.call_sites import Sites, find_sites, is_projection
from lambent.lang.compile.tensors.tensor_flow import names_with_tensors
from lambent.lang.compile.types.callers import callers_of, with_callers
from lambent.lang.compile.types.memory_use import (
    Changes,
    find_changes,
    non_allocating_functions,
    read_memory,
)
from lambent.lang.core.strong_components import on_cycles
from lambent.lang.primitives.effects import Memory
from lambent.lang.system.dataclass import dataclass, field, replace

_BORROWABLE = (Representation.VALUE, Representation.NUMBER)


def borrow(program: Anf) -> Anf:
    """The program with borrowed parameters, projections and loop variables."""
    functions = program.by_name
    non_allocating = non_allocating_functions(
        functions, program.uses_tensors, lambda: names_with_tensors(program)
    )
    # What borrows elsewhere does not allocate, so it calls nothing that could call back.
    returning = non_allocating & _without_endless_tails(functions)
    returning |= {external.name for external in program.externals}
    changes = find_changes(functions, is_unit=program.is_unit)
    inference = _BorrowInference(functions, non_allocating, changes, returning)
    inference.settle()
    return map_functions(program, inference.annotated)


def _without_endless_tails(functions: Mapping[str, Function]) -> set[str]:
    """The functions whose tail calls, and those of the functions that they tail-call, end: a caller
    that waits for one costs one frame of the stack."""
    tails = {name: _tails(function) for name, function in functions.items()}
    known = {name: sorted(callees) for name, callees in tails.items() if callees is not None}
    callers: dict[str, list[str]] = {}
    for name, callees in known.items():
        for callee in callees:
            callers.setdefault(callee, []).append(name)
    endless = (tails.keys() - known.keys()) | on_cycles(known)
    return functions.keys() - with_callers(endless, callers)


def _tails(function: Function) -> set[str] | None:
    """The functions that it tail-calls; None if they are not known, or if it returns nothing."""
    ends = list(ends_in(function.body))
    if function.result is Representation.VOID or any(isinstance(e, IndirectTailCall) for e in ends):
        return None
    return {end.function for end in ends if isinstance(end, DirectTailCall)}


# Inference.


@dataclass(slots=True)
class _BorrowInference:
    """Begins with everything that may be borrowed, and removes what may not until nothing changes.

    non_allocating: the functions that do not allocate.  returning: those that tail calls may call
    and return from.  sites: the direct calls in each function.  spent: by function, the parameters
    that only a call keeps alive.  varied: those that some call passes another value than a
    constant.  borrowed: the borrowed parameters by function.  parameters: all parameters by
    function, with `own` set accordingly.  names: the names of each function that are never freed,
    because they are borrowed or kept alive by others.
    """

    functions: dict[str, Function]
    non_allocating: set[str]
    changes: Changes
    returning: set[str]
    borrowed: dict[str, set[str]] = field(default_factory=dict)
    parameters: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)
    callers: dict[str, list[str]] = field(default_factory=dict)
    sites: dict[str, Sites] = field(default_factory=dict)
    spent: dict[str, set[str]] = field(default_factory=dict)
    varied: dict[str, set[str]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)  # the functions whose parameters have changed

    def settle(self) -> None:
        for name, function in self.functions.items():
            self.sites[name] = find_sites(function, self.changes)
            # Callers that are not known may keep nothing alive.
            self.spent[name] = {p.name for p in function.parameters if function.escapes}
            self.borrowed[name] = {
                p.name
                for p in function.parameters
                if not p.own
                or (
                    function.interface is None
                    and p.representation in _BORROWABLE
                    and (name in self.non_allocating or not function.escapes)
                )
            }
            self.parameters[name] = self.described(function)
        self.note_varied()
        self.callers = callers_of(self.functions)
        waiting = dict.fromkeys(self.functions)
        while waiting:
            # main calls so many functions that settling it again for each would be quadratic.
            name = next((other for other in waiting if other != "main"), "main")
            del waiting[name]
            function = self.functions[name]
            self.names[name] = self.find_names(function)
            self.changed.clear()
            self.remove_spent(function)
            self.remove_consumed(function)
            for other in sorted(self.changed):
                waiting |= dict.fromkeys((other, *self.callers.get(other, ())))

    def note_varied(self) -> None:
        self.varied = {name: set() for name in self.functions}
        for sites in self.sites.values():
            for site in sites.calls:
                parameters = self.functions[site.callee].parameters
                others = [p.name for i, p in enumerate(parameters) if i not in site.constants]
                self.varied[site.callee].update(others)

    def described(self, function: Function) -> tuple[Parameter, ...]:
        borrowed = self.borrowed[function.name]
        return tuple([replace(p, own=p.name not in borrowed) for p in function.parameters])

    def find_names(self, function: Function) -> set[str]:
        """The names of a function that are never freed, by the present state of the inference."""
        found = set(self.borrowed[function.name])
        changed = self.changes.functions[function.name]
        types = {p.name: p.representation for p in function.parameters}
        projections: dict[str, str] = {}
        for block in all_blocks(function.body):
            for statement in block.statements:
                match statement:
                    case Bind(name, representation, operation):
                        types[name] = representation
                        if returns_immediate(operation, types) or _is_kept(operation):
                            found.add(name)
                        elif is_projection(statement) and not read_memory(operation) & changed:
                            projections[name] = operands(operation)[0]
                    case Loop(name, representation, variables=variables):
                        types[name] = representation
                        types.update((v.name, v.representation) for v in variables)
                    case If(name, representation):
                        types[name] = representation
        flows = _Flows({name: [source] for name, source in projections.items()})
        flows.enter(function.body)
        flows.remove_consumed(function.body, self.parameters)
        return _supported(found, flows.sources)

    def remove_spent(self, function: Function) -> None:
        """Make parameters owned: those of functions that allocate or consume them, if this one
        passes them a value that nothing else keeps alive."""
        names = self.names[function.name]
        for site in self.sites[function.name].calls:
            callee = self.functions[site.callee]
            spent = {callee.parameters[i].name for i, name in site.spent if name not in names}
            spent &= self.borrowed[callee.name]
            if not spent <= self.spent[callee.name]:
                self.spent[callee.name] |= spent
                self.changed.add(callee.name)
                if callee.name not in self.non_allocating:
                    self.make_owned(callee, spent & _own(callee))

    def remove_consumed(self, function: Function) -> None:
        """Make parameters owned: those that are spent, or always constants, and that the function
        consumes, and those to which its tail calls pass owned values."""
        names = self.names[function.name]
        varied = self.varied[function.name] - self.spent[function.name]
        owned = _own(function) - varied
        captures = _captures(function)
        if captures & self.borrowed[function.name] and self.gives_away(function.body, captures):
            self.make_owned(function, captures)
        for block in all_blocks(function.body):
            if not owned.isdisjoint(self.borrowed[function.name]):
                self.make_owned(function, owned & self.consumed_in(block, names))
            if isinstance(block.end, DirectTailCall):
                self.pass_owned(block.end, names)

    def gives_away(self, body: Block, captures: frozenset[str]) -> bool:
        """Whether each path consumes at least half of the captures.  One of which it only takes
        fields counts if it consumes another: a dying pair gives its fields away, but a closure that
        only reads may well be called again."""
        whole = self.moved(body, {name: name for name in captures}, fields=False)
        if whole is None or 2 * len(whole) >= len(captures):
            return True
        moved = whole and self.moved(body, {name: name for name in captures}, fields=True)
        return moved is None or 2 * len(moved) >= len(captures)

    def moved(
        self, block: Block, captures: Mapping[str, str], *, fields: bool
    ) -> frozenset[str] | None:
        """The captures that every path through a block consumes, or those of the path that
        consumes the fewest; None if none leads to its end.  A loop may need them again.

        captures: by their names, and those of their fields where these count."""
        found = frozenset[str]()
        for statement in block.statements:
            match statement:
                case Bind(name, operation=operation):
                    found |= _taken_by(operation, self.parameters)
                    if fields and is_projection(statement) and operands(operation)[0] in captures:
                        captures = {**captures, name: captures[operands(operation)[0]]}
                case If(then=then, orelse=orelse):
                    paths = [self.moved(b, captures, fields=fields) for b in (then, orelse)]
                    found |= min((p for p in paths if p is not None), key=len, default=frozenset())
            if never_returns(statement):
                return None
        found |= _taken(end_operands(block.end), end_consumed(block.end, self.parameters))
        return frozenset(captures[name] for name in found if name in captures)

    def consumed_in(self, block: Block, names: set[str]) -> set[str]:
        """The names that a block itself consumes.  names: those that are never freed."""
        found: set[str] = set()
        for statement in block.statements:
            match statement:
                case Bind(operation=operation):
                    found |= _taken_by(operation, self.parameters)
                case Loop(variables=variables):
                    found |= {v.initial for v in variables if v.name not in names}
        if not isinstance(block.end, Recur):
            found |= _taken(end_operands(block.end), end_consumed(block.end, self.parameters))
        return found

    def pass_owned(self, tail: DirectTailCall, names: set[str]) -> None:
        if tail.function in self.returning:
            return
        callee = self.functions[tail.function]
        pairs = zip(callee.parameters, tail.arguments, strict=True)
        self.make_owned(callee, {p.name for p, a in pairs if p.own and a not in names})

    def make_owned(self, function: Function, parameters: Set[str]) -> None:
        borrowed = self.borrowed[function.name]
        captures = _captures(function)
        if not captures.isdisjoint(parameters):
            parameters = parameters | captures
        if not borrowed.isdisjoint(parameters):
            borrowed -= parameters
            self.parameters[function.name] = self.described(function)
            self.changed.add(function.name)

    # The result.

    def annotated(self, function: Function) -> Function:
        names = self.names[function.name]
        names = names | _short_borrows(
            function, names, self.sites[function.name].outlived, self.changes, self.parameters
        )
        loops = {s.label: s for s in statements_in(function.body) if isinstance(s, Loop)}
        parameters = self.parameters[function.name]
        body = _annotated(function.body, names, loops, own=True)
        body = _Waiting(self.functions, self.parameters, names).block(body)
        return replace(function, parameters=parameters, body=body)


def _own(function: Function) -> set[str]:
    """The parameters that need not be borrowed."""
    return {p.name for p in function.parameters if p.own}


def _captures(function: Function) -> frozenset[str]:
    """What its closures own."""
    return frozenset(p.name for p in function.parameters[: function.captures])


def _taken_by(operation: Operation, parameters: Parameters) -> set[str]:
    """The operands that an operation consumes."""
    return _taken(operands(operation), consumed(operation, parameters))


def _taken(names: tuple[str, ...], taken: tuple[bool, ...]) -> set[str]:
    return {name for name, is_taken in zip(names, taken, strict=True) if is_taken}


# Short borrows.


def _short_borrows(
    function: Function,
    borrowed: set[str],
    outlived: set[str],
    changes: Changes,
    parameters: Parameters,
) -> set[str]:
    """The projections that only operations of their own block read, before an object may change and
    while their container is live: it is borrowed, or used later."""
    positions = _positions(function.body)
    found: set[str] = set()
    for block in all_blocks(function.body):
        barriers: dict[Memory, list[int]] = {}
        for index, statement in enumerate(block.statements):
            if not isinstance(statement, Bind) or not is_projection(statement):
                continue
            read = read_memory(statement.operation)
            if read not in barriers:
                barriers[read] = _barriers(block, changes, read)
            name, container = statement.name, operands(statement.operation)[0]
            barrier = barriers[read][index + 1]
            last_read = _last_read(block, name, positions.get(name, []), barrier, parameters)
            is_live = container in borrowed or name in outlived
            if (
                statement.representation in _BORROWABLE
                and last_read
                and is_live
                and container not in found
            ):
                found.add(name)
    return found - borrowed


def _barriers(block: Block, changes: Changes, read: Memory) -> list[int]:
    """For each index of a block the next one at which such an object may change, or an inner block
    begins."""
    barriers = [len(block.statements)]
    for index in range(len(block.statements) - 1, -1, -1):
        statement = block.statements[index]
        passes = isinstance(statement, Bind) and not changes.by(statement.operation) & read
        barriers.append(barriers[-1] if passes else index)
    return barriers[::-1]


# For each name the blocks, by their identity, and the indices of its uses.
_Positions = dict[str, list[tuple[int, int]]]


def _positions(body: Block) -> _Positions:
    found: _Positions = {}
    for block in all_blocks(body):
        for index, statement in enumerate(block.statements):
            for name in statement_operands(statement):
                found.setdefault(name, []).append((id(block), index))
        for name in end_operands(block.end):
            found.setdefault(name, []).append((id(block), len(block.statements)))
    return found


def _last_read(
    block: Block, name: str, positions: list[tuple[int, int]], barrier: int, parameters: Parameters
) -> int:
    """The index of the last read of a projection; 0 if it is also used otherwise, or an object
    may change before."""
    if not positions or any(where != id(block) or at >= barrier for where, at in positions):
        return 0
    for _, at in positions:
        match block.statements[at]:
            case Bind(operation=Truth() | IsAbsent() | Apply() | DirectCall() as operation):
                if name in _taken_by(operation, parameters):
                    return 0
            case _:
                return 0
    return positions[-1][1]


@dataclass(slots=True)
class _Flows:
    """Which values each name holds.

    sources: for each name that may be borrowed the names that must be borrowed with it.  These are
    what it holds: a projection's container, a loop variable's initial value and next ones, what the
    branches of an If yield.  The result of an If or a Loop is borrowed only where it is never
    consumed, because a reference that a branch creates may cost less; so what holds it must be
    borrowed, too.
    results: the names of such statements.
    """

    sources: dict[str, list[str]]
    results: set[str] = field(default_factory=set)

    def enter(self, body: Block) -> None:
        for statement in statements_in(body):
            if isinstance(statement, If | Loop):
                variables = statement.variables if isinstance(statement, Loop) else ()
                for each in (statement, *variables):
                    if each.representation in _BORROWABLE:
                        self.sources[each.name] = []
                if statement.representation in _BORROWABLE:
                    self.results.add(statement.name)
        for name, target in moves_in(body):
            if target is not None:
                self.flow(name, target.name)

    def flow(self, name: str, target: str) -> None:
        if target in self.sources:
            self.sources[target].append(name)
        if name in self.results:
            self.sources[name].append(target)

    def remove_consumed(self, body: Block, parameters: Parameters) -> None:
        """Remove the results that an operation consumes, or the end of the function."""
        for block in all_blocks(body):
            for statement in block.statements:
                if isinstance(statement, Bind):
                    self.remove(_taken_by(statement.operation, parameters))
            if not isinstance(block.end, Recur | Yield) or block is body:
                self.remove(_taken(end_operands(block.end), end_consumed(block.end, parameters)))

    def remove(self, names: set[str]) -> None:
        for name in names & self.results:
            self.sources.pop(name, None)


def _supported(found: set[str], sources: dict[str, list[str]]) -> set[str]:
    """The found names, and all names whose sources are all in the result."""
    names = found | set(sources)
    targets: dict[str, list[str]] = {}
    for name, held in sources.items():
        for source in held:
            targets.setdefault(source, []).append(name)
    waiting = [name for name in targets if name not in names]
    while waiting:
        for name in targets.get(waiting.pop(), ()):
            if name in names:
                names.remove(name)
                waiting.append(name)
    return names


def _is_kept(operation: Operation) -> bool:
    return isinstance(operation, Literal) or (
        isinstance(operation, GlobalGet) and not operation.owned
    )


def _annotated(block: Block, names: set[str], loops: dict[str, Loop], *, own: bool) -> Block:
    """own: whether what the block yields is owned from there on."""
    statements = [_annotated_statement(s, names, loops) for s in block.statements]
    end = block.end
    if isinstance(end, Recur):
        variables = loops[end.label].variables
        borrowed = tuple([i for i, v in enumerate(variables) if v.name in names])
        if borrowed != end.borrowed:
            end = replace(end, borrowed=borrowed)
    if isinstance(end, Yield) and not own:
        end = replace(end, borrowed=True)
    if end is block.end and all(map(is_, statements, block.statements)):
        return block
    return Block(tuple(statements), end)


def _annotated_statement(
    statement: Statement, names: set[str], loops: dict[str, Loop]
) -> Statement:
    match statement:
        case Bind(name, _, Apply() as operation) if name in names and is_projection(statement):
            return replace(statement, operation=replace(operation, borrows=True))
        case If(name, then=then, orelse=orelse):
            own = name not in names
            new_then = _annotated(then, names, loops, own=own)
            new_orelse = _annotated(orelse, names, loops, own=own)
            if own is statement.own and new_then is then and new_orelse is orelse:
                return statement
            return replace(statement, then=new_then, orelse=new_orelse, own=own)
        case Loop(name, variables=variables, body=body):
            own = name not in names
            annotated = tuple([replace(v, own=v.name not in names) for v in variables])
            inside = _annotated(body, names, loops, own=own)
            return replace(statement, variables=annotated, body=inside, own=own)
        case Bind() | Free():
            return statement


# Tail calls that return.


@dataclass(slots=True)
class _Waiting:
    """Calls, and returns from, functions that borrow what a tail call passes and nobody else keeps.

    names: those that are never freed.  count: of such calls.
    """

    functions: Mapping[str, Function]
    parameters: Parameters
    names: Set[str]
    count: int = 0

    def block(self, block: Block) -> Block:
        end = block.end
        if isinstance(end, DirectTailCall) and self.passes_borrowed(end):
            self.count += 1
            name = f"{end.function}.returned.{self.count}"
            call = DirectCall(end.function, end.arguments, is_tail=True)
            bind = Bind(name, self.functions[end.function].result, call, end.span)
            return Block((*block.statements, bind), Yield(name))
        if not block.statements or not isinstance(last := block.statements[-1], If | Loop):
            return block
        if end != Yield(last.name):
            return block
        return Block((*block.statements[:-1], self.last(last)), end)

    def last(self, statement: If | Loop) -> Statement:
        if isinstance(statement, Loop):
            return replace(statement, body=self.block(statement.body))
        then, orelse = self.block(statement.then), self.block(statement.orelse)
        return replace(statement, then=then, orelse=orelse)

    def passes_borrowed(self, tail: DirectTailCall) -> bool:
        pairs = zip(self.parameters[tail.function], tail.arguments, strict=True)
        return any(not p.own and name not in self.names for p, name in pairs)
