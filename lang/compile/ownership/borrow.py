"""Borrowing: which parameters, parts of data and variables of loops need no reference of their own.

A function that makes nothing while it runs keeps no memory alive longer than its caller would, if
it only looks at what its caller holds.  Such a function borrows its parameters, unless it consumes
them itself, and if it changes nothing either, it borrows the parts that it takes out of them, too:

    (define (sum l) (if (null? l) 0 (+ (car l) (sum (cdr l)))))
    =>  fn sum(borrowed l: value)
          t1 = part car(l)
          t2 = part cdr(l)
          t3 = call sum(t2)

Everywhere, a part that is only looked at while its object is there and nothing changes is borrowed
from that object: both elements in `(< (car a) (car b))` if a and b are used further on.

Functions that allocate take their arguments over, so that memory dies at its last use.

Borrowing never costs a tail call: a parameter that a tail call fills with something owned is owned.
Comes before `insert_frees`, which knows by the marks that this pass leaves what nobody frees.
"""

from bisect import bisect_left
from dataclasses import dataclass, field, replace

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectTailCall,
    Free,
    Function,
    GlobalGet,
    If,
    IsAbsent,
    Literal,
    Loop,
    Operation,
    Parameter,
    Recur,
    Representation,
    Statement,
    Truth,
)
from lambent.lang.compile.ir.operands import (
    all_blocks,
    consumed,
    end_consumed,
    end_operands,
    inner_blocks,
    operands,
    returns_immediate,
    statement_operands,
)
from lambent.lang.compile.types.callers import callers_of
from lambent.lang.compile.types.memory_use import make_nothing, may_change, mutators

_LENT = (Representation.VALUE, Representation.NUMBER)


def borrow(program: Anf) -> Anf:
    """The program with its borrowed parameters, parts and variables marked."""
    functions = {f.name: f for f in (*program.functions, program.main)}
    lenders = _Lenders(functions, make_nothing(functions, program.uses_tensors))
    lenders.settle()
    return replace(
        program,
        functions=tuple([lenders.marked(function) for function in program.functions]),
        main=lenders.marked(program.main),
    )


# What is borrowed.


@dataclass(slots=True)
class _Lenders:
    """Settles what is borrowed: begins with everything that may be, and takes back what may not.

    quiet: the functions that make nothing.  lent: the borrowed parameters by function.
    parameters: all of each function, marked so, as its callers see them.  names: the names of each
    function that are borrowed, or that nobody frees.
    """

    functions: dict[str, Function]
    quiet: set[str]
    lent: dict[str, set[str]] = field(default_factory=dict)
    parameters: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)
    mutators: set[str] = field(default_factory=set)
    callers: dict[str, list[str]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)  # the functions whose parameters have

    def settle(self) -> None:
        self.mutators = mutators(self.functions)
        for name, function in self.functions.items():
            self.lent[name] = {
                p.name
                for p in function.parameters
                if not p.own or (name in self.quiet and p.representation in _LENT)
            }
            self.parameters[name] = self.described(function)
        self.callers = callers_of(self.functions)
        waiting = dict.fromkeys(self.functions)
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            function = self.functions[name]
            self.names[name] = self.find_names(function)
            self.changed.clear()
            self.take_back(function)
            for other in sorted(self.changed):
                waiting |= dict.fromkeys((other, *self.callers.get(other, ())))

    def described(self, function: Function) -> tuple[Parameter, ...]:
        lent = self.lent[function.name]
        return tuple([replace(p, own=p.name not in lent) for p in function.parameters])

    def find_names(self, function: Function) -> set[str]:
        """The names of a function that need not be freed, as things stand."""
        found = set(self.lent[function.name])
        borrows_parts = function.name in self.quiet and function.name not in self.mutators
        types = {p.name: p.representation for p in function.parameters}
        loops: dict[str, Loop] = {}
        parts: dict[str, str] = {}
        for block in all_blocks(function.body):
            for statement in block.statements:
                match statement:
                    case Bind(name, representation, operation):
                        types[name] = representation
                        if returns_immediate(operation, types) or _is_kept(operation):
                            found.add(name)
                        elif borrows_parts and _is_part(statement):
                            parts[name] = operands(operation)[0]
                    case Loop(name, representation, label, variables):
                        loops[label] = statement
                        types[name] = representation
                        types.update((v.name, v.representation) for v in variables)
                    case If(name, representation):
                        types[name] = representation
        return _settled(function, found, parts, loops if borrows_parts else {})

    def take_back(self, function: Function) -> None:
        """Make those parameters owned that the function consumes, or fills by a tail call with
        what it owns."""
        names = self.names[function.name]
        owned = {p.name for p in function.parameters if p.own}
        for block in all_blocks(function.body):
            if function.name in self.quiet:
                self.make_owned(function, owned & self.consumed_in(block, names))
            if isinstance(block.end, DirectTailCall):
                self.fill(block.end, names)

    def consumed_in(self, block: Block, names: set[str]) -> set[str]:
        """What a block itself consumes; names: those that need not be freed."""
        found: set[str] = set()
        for statement in block.statements:
            match statement:
                case Bind(operation=operation):
                    found |= _taken(operands(operation), consumed(operation, self.parameters))
                case Loop(variables=variables):
                    found |= {v.initial for v in variables if v.name not in names}
        if not isinstance(block.end, Recur):
            found |= _taken(end_operands(block.end), end_consumed(block.end, self.parameters))
        return found

    def fill(self, tail: DirectTailCall, names: set[str]) -> None:
        callee = self.functions[tail.function]
        pairs = zip(callee.parameters, tail.arguments, strict=True)
        self.make_owned(callee, {p.name for p, a in pairs if p.own and a not in names})

    def make_owned(self, function: Function, parameters: set[str]) -> None:
        lent = self.lent[function.name]
        if not lent.isdisjoint(parameters):
            lent -= parameters
            self.parameters[function.name] = self.described(function)
            self.changed.add(function.name)

    # Marks.

    def marked(self, function: Function) -> Function:
        names = self.names[function.name]
        names = names | _glances(function, names, self.mutators)
        loops = {
            statement.label: statement
            for block in all_blocks(function.body)
            for statement in block.statements
            if isinstance(statement, Loop)
        }
        parameters = self.parameters[function.name]
        body = _marked(function.body, names, loops)
        return replace(function, parameters=parameters, body=body)


def _taken(names: tuple[str, ...], taken: tuple[bool, ...]) -> set[str]:
    return {name for name, is_taken in zip(names, taken, strict=True) if is_taken}


# Parts that are borrowed for a moment.


def _glances(function: Function, lent: set[str], mutators: set[str]) -> set[str]:
    """The parts at which only operations of their own block look, before anything may change and
    while their object is there: it is lent, or used further on."""
    uses = _Uses.of(function.body)
    found: set[str] = set()
    for block in all_blocks(function.body):
        barriers: list[int] | None = None
        for index, statement in enumerate(block.statements):
            if not isinstance(statement, Bind) or not _is_part(statement):
                continue
            barriers = _barriers(block, mutators) if barriers is None else barriers
            name, whole = statement.name, operands(statement.operation)[0]
            looked_until = uses.looked_until(block, name, barriers[index + 1])
            is_there = whole in lent or uses.is_used_after(block, whole, looked_until)
            if (
                statement.representation in _LENT
                and looked_until
                and is_there
                and whole not in found
            ):
                found.add(name)
    return found - lent


def _barriers(block: Block, mutators: set[str]) -> list[int]:
    """For each index of a block the first one from there on at which something may change, or
    other blocks begin."""
    barriers = [len(block.statements)]
    for index in range(len(block.statements) - 1, -1, -1):
        statement = block.statements[index]
        passes = isinstance(statement, Bind) and not may_change(statement.operation, mutators)
        barriers.append(barriers[-1] if passes else index)
    return barriers[::-1]


@dataclass(slots=True)
class _Uses:
    """Where a function's names are used, in the order of its text, so that no block need be
    walked again for each block around it.

    at: for each name the numbers of the statements and ends that use it, ascending.  numbers: those
    of a block's statements and of its end, by the block's identity.  places: for each name the
    blocks and indices of its uses.
    """

    at: dict[str, list[int]] = field(default_factory=dict)
    numbers: dict[int, list[int]] = field(default_factory=dict)
    places: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    count: int = 0

    @staticmethod
    def of(body: Block) -> "_Uses":
        uses = _Uses()
        uses.enter(body)
        return uses

    def enter(self, block: Block) -> None:
        numbers = self.numbers[id(block)] = []
        for index, statement in enumerate(block.statements):
            numbers.append(self.use(statement_operands(statement), block, index))
            for inner in inner_blocks(statement):
                self.enter(inner)
        numbers.append(self.use(end_operands(block.end), block, len(block.statements)))

    def use(self, names: tuple[str, ...], block: Block, index: int) -> int:
        self.count += 1
        for name in names:
            self.at.setdefault(name, []).append(self.count)
            self.places.setdefault(name, []).append((id(block), index))
        return self.count

    def is_used_after(self, block: Block, name: str, index: int) -> bool:
        """Whether a block uses a name after one of its statements, in its inner blocks, too."""
        numbers, at = self.numbers[id(block)], self.at.get(name, [])
        following = bisect_left(at, numbers[index + 1])
        return following < len(at) and at[following] <= numbers[-1]

    def looked_until(self, block: Block, name: str, barrier: int) -> int:
        """The index of the last look at a part; 0 if there is something else done with it, or
        something may change before."""
        places = self.places.get(name, [])
        if not places or any(where != id(block) or at >= barrier for where, at in places):
            return 0
        for _, at in places:
            match block.statements[at]:
                case Bind(operation=Truth() | IsAbsent() | Apply() as operation):
                    if name in _taken(operands(operation), consumed(operation, {})):
                        return 0
                case _:
                    return 0
        return places[-1][1]


def _settled(
    function: Function, found: set[str], parts: dict[str, str], loops: dict[str, Loop]
) -> set[str]:
    """The names that begin as found, with the parts of those and the variables of loops that only
    ever hold such: the largest such set."""
    sources: dict[str, list[str]] = {name: [source] for name, source in parts.items()}
    for loop in loops.values():
        for variable in loop.variables:
            if variable.representation in _LENT:
                sources[variable.name] = [variable.initial]
    for block in all_blocks(function.body):
        if isinstance(block.end, Recur) and block.end.label in loops:
            variables = loops[block.end.label].variables
            for variable, name in zip(variables, block.end.arguments, strict=True):
                if variable.name in sources:
                    sources[variable.name].append(name)
    return _supported(found, sources)


def _supported(found: set[str], sources: dict[str, list[str]]) -> set[str]:
    """What has been found with all names of which every source is in the result."""
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


def _is_part(bind: Bind) -> bool:
    match bind.operation:
        case Apply(primitive, _, variant):
            return (primitive if variant is None else variant).projection is not None
    return False


def _marked(block: Block, names: set[str], loops: dict[str, Loop]) -> Block:
    statements = tuple([_marked_statement(s, names, loops) for s in block.statements])
    end = block.end
    if isinstance(end, Recur):
        variables = loops[end.label].variables
        borrowed = tuple([i for i, v in enumerate(variables) if v.name in names])
        end = replace(end, borrowed=borrowed)
    return Block(statements, end)


def _marked_statement(statement: Statement, names: set[str], loops: dict[str, Loop]) -> Statement:
    match statement:
        case Bind(name, _, Apply() as operation) if name in names and _is_part(statement):
            return replace(statement, operation=replace(operation, borrows=True))
        case If(then=then, orelse=orelse):
            return replace(
                statement,
                then=_marked(then, names, loops),
                orelse=_marked(orelse, names, loops),
            )
        case Loop(variables=variables, body=body):
            marked = tuple([replace(v, own=v.name not in names) for v in variables])
            return replace(statement, variables=marked, body=_marked(body, names, loops))
        case Bind() | Free():
            return statement
