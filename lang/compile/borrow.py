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

from dataclasses import dataclass, field, replace

from lambent.lang.compile.anf import (
    Anf,
    Apply,
    Bind,
    Block,
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
    Statement,
    TailKnown,
    Truth,
    Type,
)
from lambent.lang.compile.memory_use import make_nothing, may_change, mutators
from lambent.lang.compile.operands import (
    all_blocks,
    consumed,
    end_consumed,
    end_operands,
    gives_immediate,
    inner_blocks,
    operands,
    statement_operands,
)

_LENT = (Type.VALUE, Type.NUMBER)


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
    is_settled: bool = False

    def settle(self) -> None:
        self.mutators = mutators(self.functions)
        for name, function in self.functions.items():
            self.lent[name] = {
                p.name
                for p in function.parameters
                if not p.own or (name in self.quiet and p.type in _LENT)
            }
            self.parameters[name] = self.described(function)
        while not self.is_settled:
            self.is_settled = True
            self.names = {name: self.find_names(f) for name, f in self.functions.items()}
            for function in self.functions.values():
                self.take_back(function)

    def described(self, function: Function) -> tuple[Parameter, ...]:
        lent = self.lent[function.name]
        return tuple([replace(p, own=p.name not in lent) for p in function.parameters])

    def find_names(self, function: Function) -> set[str]:
        """The names of a function that need not be freed, as things stand."""
        found = set(self.lent[function.name])
        borrows_parts = function.name in self.quiet and function.name not in self.mutators
        types = {p.name: p.type for p in function.parameters}
        loops: dict[str, Loop] = {}
        parts: dict[str, str] = {}
        for block in all_blocks(function.body):
            for statement in block.statements:
                match statement:
                    case Bind(name, type_, operation):
                        types[name] = type_
                        if gives_immediate(operation, types) or _is_kept(operation):
                            found.add(name)
                        elif borrows_parts and _is_part(statement):
                            parts[name] = operands(operation)[0]
                    case Loop(name, type_, label, variables):
                        loops[label] = statement
                        types[name] = type_
                        types.update((v.name, v.type) for v in variables)
                    case If(name, type_):
                        types[name] = type_
        return _settled(function, found, parts, loops if borrows_parts else {})

    def take_back(self, function: Function) -> None:
        """Make those parameters owned that the function consumes, or fills by a tail call with
        what it owns."""
        names = self.names[function.name]
        owned = {p.name for p in function.parameters if p.own}
        for block in all_blocks(function.body):
            if function.name in self.quiet:
                self.make_owned(function, owned & self.consumed_in(block, names))
            if isinstance(block.end, TailKnown):
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

    def fill(self, tail: TailKnown, names: set[str]) -> None:
        callee = self.functions[tail.function]
        pairs = zip(callee.parameters, tail.arguments, strict=True)
        self.make_owned(callee, {p.name for p, a in pairs if p.own and a not in names})

    def make_owned(self, function: Function, parameters: set[str]) -> None:
        lent = self.lent[function.name]
        if not lent.isdisjoint(parameters):
            lent -= parameters
            self.parameters[function.name] = self.described(function)
            self.is_settled = False

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
    while their object is there: it is lent, or used behind."""
    uses: dict[str, int] = {}
    for block in all_blocks(function.body):
        for name in _used_in(block):
            uses[name] = uses.get(name, 0) + 1
    found: set[str] = set()
    for block in all_blocks(function.body):
        last_use = {n: i for i, s in enumerate(block.statements) for n in _all_used(s)}
        last_use |= dict.fromkeys(end_operands(block.end), len(block.statements))
        for index, statement in enumerate(block.statements):
            if not isinstance(statement, Bind) or not _is_part(statement):
                continue
            name, whole = statement.name, operands(statement.operation)[0]
            looked_until = _looked_until(block, index, uses.get(name, 0), mutators)
            is_there = whole in lent or last_use[whole] > looked_until
            if statement.type in _LENT and looked_until and is_there and whole not in found:
                found.add(name)
    return found - lent


def _used_in(block: Block) -> list[str]:
    """The names that a block's own statements and its end use, as often as they do."""
    names = [name for s in block.statements for name in statement_operands(s)]
    return [*names, *end_operands(block.end)]


def _all_used(statement: Statement) -> list[str]:
    """The names that a statement uses, in its blocks, too."""
    inner = [b for block in inner_blocks(statement) for b in all_blocks(block)]
    return [*statement_operands(statement), *[name for b in inner for name in _used_in(b)]]


def _looked_until(block: Block, index: int, uses: int, mutators: set[str]) -> int:
    """The index of the last look at the part that statement `index` takes; 0 if there is something
    else done with it, or something may change before."""
    name = block.statements[index].name
    for at in range(index + 1, len(block.statements)):
        match block.statements[at]:
            case Bind(operation=Truth() | IsAbsent() | Apply() as operation):
                used = operands(operation)
                taken = consumed(operation, {})
                if name in _taken(used, taken):
                    return 0
                uses -= used.count(name)
            case Bind(operation=operation):
                if name in operands(operation):
                    return 0
            case _:
                return 0
        if may_change(operation, mutators):
            return 0
        if uses == 0:
            return at
    return 0


def _settled(
    function: Function, found: set[str], parts: dict[str, str], loops: dict[str, Loop]
) -> set[str]:
    """The names that begin as found, with the parts of those and the variables of loops that only
    ever hold such: the largest such set."""
    sources: dict[str, list[str]] = {name: [source] for name, source in parts.items()}
    for loop in loops.values():
        for variable in loop.variables:
            if variable.type in _LENT:
                sources[variable.name] = [variable.initial]
    for block in all_blocks(function.body):
        if isinstance(block.end, Recur) and block.end.label in loops:
            variables = loops[block.end.label].variables
            for variable, name in zip(variables, block.end.arguments, strict=True):
                if variable.name in sources:
                    sources[variable.name].append(name)
    names = found | set(sources)
    changed = True
    while changed:
        lost = {n for n, held in sources.items() if n in names and not names.issuperset(held)}
        names -= lost
        changed = bool(lost)
    return names


def _is_kept(operation: Operation) -> bool:
    return isinstance(operation, Literal) or (
        isinstance(operation, GlobalGet) and not operation.owned
    )


def _is_part(bind: Bind) -> bool:
    match bind.operation:
        case Apply(primitive, _, variant):
            return (primitive if variant is None else variant).part is not None
    return False


def _marked(block: Block, names: set[str], loops: dict[str, Loop]) -> Block:
    statements = tuple([_marked_statement(s, names, loops) for s in block.statements])
    end = block.end
    if isinstance(end, Recur):
        variables = loops[end.label].variables
        borrowed = tuple([i for i, v in enumerate(variables) if v.name in names])
        end = replace(end, borrowed=borrowed)
    return Block(statements, end)


def _marked_statement(
    statement: Statement, names: set[str], loops: dict[str, Loop]
) -> Statement:
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
