"""Pairs and records of which only the fields are used become variables for their fields.

    sum = %record(point, c, d)                loop next(sum.field = c, sum.field.2 = d)
    loop next(p = sum)                          t2 = +(sum.field, a)
      t1 = %record-ref(p, point, 0)       =>    recur next(t2, sum.field.2)
      t2 = +(t1, a)
      t3 = %record-ref(p, point, 1)
      t4 = %record(point, t2, t3)
      recur next(t4)

An object is not made if its fields are read and nothing else happens to it, or if it becomes the
variable of one loop, to which only such objects come.  The variable becomes one for each field.
Where the loop ends with the variable as its value, the object is made.  Nothing can observe that:
no other name has held it.

The body of an inlined procedure that returns such an object becomes a part of the block around it.

Runs before `type_program`: so the variables have types of their own, and doubles no boxes.
"""

from collections.abc import Hashable, Iterator, Sequence

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Free,
    Function,
    GlobalGet,
    If,
    Loop,
    LoopVariable,
    Operation,
    Recur,
    Representation,
    Statement,
    Terminator,
    Yield,
)
from lambent.lang.compile.ir.blocks import (
    end_with_names,
    map_functions,
    map_statements,
    moves_in,
    names_in,
    statements_in,
    straight,
    with_inner,
    with_names,
)
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import all_blocks, end_operands, operands, repeating_loops
from lambent.lang.compile.ir.shapes import constant_integers, field_read
from lambent.lang.primitives.table import Container
from lambent.lang.system.dataclass import dataclass, field, replace


def split_records(program: Anf) -> Anf:
    """The program without objects of which only the fields are used."""
    return map_functions(program, _split)


def _split(function: Function) -> Function:
    if not any(map(_makes, statements_in(function.body))):
        return function
    body = _straight(function.body, repeating_loops(function.body))
    facts = _find(body)
    if not facts.objects:
        return function
    return replace(function, body=_Writer(facts, names_in(function)).block(body))


def _makes(statement: Statement) -> bool:
    """Whether it makes a pair or a record."""
    match statement:
        case Bind(operation=Apply(primitive)):
            return primitive.makes in (Container.PAIR, Container.RECORD)
    return False


def _straight(block: Block, repeating: frozenset[str]) -> Block:
    """The block, with the bodies of inlined procedures that only make an object in it."""

    def flat(statement: Statement) -> Sequence[Statement]:
        if isinstance(statement, Loop) and _only_makes(statement):
            found = straight(statement, repeating)
            return (statement,) if found is None else found[0]
        return (statement,)

    return map_statements(block, flat)


def _only_makes(loop: Loop) -> bool:
    """Whether its body ends with an object that it makes."""
    *_, last = loop.body.statements or (None,)
    return last is not None and _makes(last) and loop.body.end == Yield(last.name)


# Facts.


@dataclass(frozen=True, slots=True)
class _Shape:
    """What an object is.  type: what stands for its record type; None for a pair."""

    type: Hashable
    size: int


@dataclass(frozen=True, slots=True)
class _Object:
    """An object that an operation makes."""

    apply: Apply
    shape: _Shape
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Read:
    """A read of a field.  type: of the record that it expects, as in a shape."""

    name: str
    owner: str
    index: int
    type: Hashable

    def fits(self, shape: _Shape) -> bool:
        return self.type == shape.type and self.index < shape.size


@dataclass(slots=True)
class _Variable:
    """A loop's variable.  sources: the objects that come to it."""

    loop: Loop
    sources: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Facts:
    """One function: at first all its objects and variables, then those that are split.

    reads: of the fields of each.  escaped: the names that are used otherwise.  targets: for each
    object the variable that it becomes.
    """

    objects: dict[str, _Object] = field(default_factory=dict)
    variables: dict[str, _Variable] = field(default_factory=dict)
    reads: dict[str, list[_Read]] = field(default_factory=dict)
    escaped: set[str] = field(default_factory=set)
    targets: dict[str, str] = field(default_factory=dict)

    def reject(self) -> None:
        """Leave what can be split."""
        rejected = self.escaped
        while rejected:
            for name in rejected:
                self.objects.pop(name, None)
                self.variables.pop(name, None)
            rejected = {name for name in self.variables if not self.is_split_variable(name)}
            rejected |= {name for name in self.objects if not self.is_split_object(name)}

    def is_split_object(self, name: str) -> bool:
        target = self.targets.get(name)
        return (target is None or target in self.variables) and self.fits(name, self.objects[name])

    def is_split_variable(self, name: str) -> bool:
        sources = self.variables[name].sources
        if not all(source in self.objects for source in sources):
            return False
        first = self.objects[sources[0]]
        return all(self.objects[source].shape == first.shape for source in sources) and (
            self.fits(name, first)
        )

    def fits(self, name: str, object_: _Object) -> bool:
        """Whether all reads are of fields that the object has."""
        return all(read.fits(object_.shape) for read in self.reads.get(name, ()))


def _find(body: Block) -> _Facts:
    """What can be split in a function."""
    finder = _Finder(constant_integers(body))
    for statement in statements_in(body):
        finder.define(statement)
    for block in all_blocks(body):
        for statement in block.statements:
            finder.use(statement)
        finder.end(block, block.end)
    for source, target in moves_in(body):
        if isinstance(target, LoopVariable):
            finder.flow(source, target)
    finder.facts.reject()
    return finder.facts


@dataclass(slots=True)
class _Finder:
    """Two walks through a function: what its names are, and how they are used.

    integers: the names of constants.  types: the variables that hold record types.  ends: by the
    identity of each block that ends loops, the variables of these.
    """

    integers: dict[str, int]
    facts: _Facts = field(default_factory=_Facts)
    types: dict[str, object] = field(default_factory=dict)
    ends: dict[int, frozenset[str]] = field(default_factory=dict)

    def define(self, statement: Statement) -> None:
        match statement:
            case Bind(name, operation=operation):
                self.operation(name, operation)
            case Loop(variables=variables, body=body):
                names = frozenset([variable.name for variable in variables])
                self.facts.variables.update({name: _Variable(statement) for name in names})
                for block in _last_blocks(body):
                    self.ends[id(block)] = self.ends.get(id(block), frozenset()) | names

    def operation(self, name: str, operation: Operation) -> None:
        match operation:
            case Apply(primitive, arguments) if primitive.makes is Container.PAIR:
                self.facts.objects[name] = _Object(operation, _Shape(None, 2), arguments)
            case Apply(primitive, arguments) if primitive.makes is Container.RECORD:
                shape = _Shape(self.type(arguments[0]), len(arguments) - 1)
                self.facts.objects[name] = _Object(operation, shape, arguments[1:])
            case GlobalGet(variable, namespace, owned=False, checked=False):
                self.types[name] = namespace, variable

    def type(self, name: str) -> object:
        return self.types.get(name, name)

    def use(self, statement: Statement) -> None:
        match statement:
            case Bind(name, operation=Apply() as apply):
                read = self.read(name, apply)
                if read is not None:
                    self.facts.reads.setdefault(read.owner, []).append(read)
                used = apply.arguments if read is None else apply.arguments[1:]
                self.facts.escaped.update(used)
            case Bind(operation=operation):
                self.facts.escaped.update(operands(operation))

    def read(self, name: str, apply: Apply) -> _Read | None:
        match field_read(apply, self.integers):
            case "car" | "cdr" as read:
                return _Read(name, apply.arguments[0], ("car", "cdr").index(read), None)
            case int(index) if apply.primitive.indexes is Container.RECORD:
                return _Read(name, apply.arguments[0], index, self.type(apply.arguments[1]))
        return None

    def flow(self, source: str, variable: LoopVariable) -> None:
        """A value becomes a loop's variable."""
        if source == variable.name:
            return
        self.facts.variables[variable.name].sources.append(source)
        if source in self.facts.targets or source in self.facts.variables:
            self.facts.escaped.add(source)
        self.facts.targets[source] = variable.name

    def end(self, block: Block, end: Terminator) -> None:
        match end:
            case Recur():
                pass  # it flows to the variables
            case Yield(name) if name in self.ends.get(id(block), ()):
                pass  # it is made where its loop ends
            case _:
                self.facts.escaped.update(end_operands(end))


def _last_blocks(block: Block) -> Iterator[Block]:
    """The block, and those inside of it whose value is the block's."""
    yield block
    last = block.statements[-1] if block.statements else None
    if not isinstance(block.end, Yield) or last is None or last.name != block.end.name:
        return
    match last:
        case If(then=then, orelse=orelse):
            yield from _last_blocks(then)
            yield from _last_blocks(orelse)
        case Loop(body=body):
            yield from _last_blocks(body)


# The result.


@dataclass(slots=True)
class _Writer:
    """Writes one function.

    fields: the names of the fields of each variable.  reads: those that are replaced, by name.
    same: for the name of a read that is gone, that of the field.
    """

    facts: _Facts
    taken: set[str]
    numbers: Numbers = field(default_factory=dict)
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reads: dict[str, _Read] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    loops: dict[str, Loop] = field(default_factory=dict)

    def __post_init__(self) -> None:
        facts = self.facts
        for name, variable in facts.variables.items():
            size = facts.objects[variable.sources[0]].shape.size
            self.fields[name] = tuple([self.fresh(f"{name}.field") for _ in range(size)])
        for name in (*facts.objects, *facts.variables):
            self.reads.update({read.name: read for read in facts.reads.get(name, ())})

    def fresh(self, preferred: str) -> str:
        name = fresh(preferred, self.taken, self.numbers)
        self.taken.add(name)
        return name

    def name(self, name: str) -> str:
        return self.same.get(name, name)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for statement in block.statements:
            self.statement(statement, out)
        end = self.end(block.end, out)
        return Block(tuple(out), end)

    def end(self, end: Terminator, out: list[Statement]) -> Terminator:
        match end:
            case Yield(name) if name in self.facts.variables:
                return Yield(self.made(name, out))
            case Recur(label, arguments):
                variables = self.loops[label].variables
                names = [
                    name
                    for source, variable in zip(arguments, variables, strict=True)
                    for name in self.values(source, variable)
                ]
                return replace(end, arguments=tuple(names))
        return end_with_names(end, self.name)

    def statement(self, statement: Statement, out: list[Statement]) -> None:
        match statement:
            case Bind(name) if name in self.facts.objects:
                pass
            case Bind(name) if name in self.reads:
                read = self.reads[name]
                self.same[name] = self.fields_of(read.owner)[read.index]
            case Bind() | If():
                out.append(with_inner(with_names(statement, self.name), self.block))
            case Loop(label=label, variables=variables, body=body):
                self.loops[label] = statement
                new = [
                    replace(variable, name=name, initial=initial)
                    for variable in variables
                    for name, initial in zip(
                        self.fields.get(variable.name, (variable.name,)),
                        self.values(variable.initial, variable),
                        strict=True,
                    )
                ]
                out.append(replace(statement, variables=tuple(new), body=self.block(body)))
            case Free(name):
                raise AssertionError(f"{name}: this comes before ownership")

    def values(self, source: str, variable: LoopVariable) -> tuple[str, ...]:
        """What a loop's variable gets: a value, or one for each field."""
        if variable.name in self.facts.variables:
            return self.fields_of(source)
        return (self.name(source),)

    def fields_of(self, name: str) -> tuple[str, ...]:
        if name in self.facts.variables:
            return self.fields[name]
        return tuple([self.name(operand) for operand in self.facts.objects[name].fields])

    def made(self, variable: str, out: list[Statement]) -> str:
        """The object that a variable stands for, at the end of its loop."""
        found, name = self.facts.variables[variable], self.fresh(variable)
        apply, fields = self.facts.objects[found.sources[0]].apply, self.fields[variable]
        type_ = apply.arguments[: len(apply.arguments) - len(fields)]
        made = replace(apply, arguments=(*map(self.name, type_), *fields))
        out.append(Bind(name, Representation.VALUE, made, found.loop.span))
        return name
