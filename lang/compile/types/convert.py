"""Types in place: rewrites a program by what inference has found.

Every binding gets its type, every primitive the cheapest form that the types allow, and where a
name of one type meets an operand of another, a Convert stands between.

    t1 = 3                               i: fixnum = loop ...
    t2 = vector-ref(v, i)          =>      i.value = convert i
                                           t2 = vector-ref(v, i.value)

A literal is written right before its first use, in the type in which it is used.  A value that has
been converted to a tensor is not converted again further on, nor in the branches there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    CallKnown,
    CallUnknown,
    CellGet,
    CellSet,
    Convert,
    Dup,
    Fail,
    Free,
    Function,
    GlobalGet,
    GlobalSet,
    If,
    IsAbsent,
    Literal,
    Loop,
    LoopVariable,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    PrimitiveValue,
    Raise,
    Recur,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Statement,
    TailKnown,
    TailUnknown,
    Terminator,
    Truth,
    Type,
    Yield,
)
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.operands import all_blocks, bound_names, never_returns
from lambent.lang.compile.types.abstract_types import Argument, Kind, literal_kind
from lambent.lang.compile.types.choose_primitive import choose
from lambent.lang.compile.types.fast_paths import speculative_call
from lambent.lang.compile.types.infer import Facts, infer
from lambent.lang.primitives import signature
from lambent.lang.syntax.datum import Boolean, Number
from lambent.lang.syntax.source import Span


def type_program(program: Anf) -> Anf:
    """The program with types, typed forms of primitives, and conversions."""
    facts = infer(program)
    return replace(
        program,
        functions=tuple([_typed(function, facts) for function in program.functions]),
        main=_typed(program.main, facts),
    )


def _typed(function: Function, facts: Facts) -> Function:
    kinds = facts.parameters[function.name]
    parameters = tuple(
        [replace(p, type=kind.type) for p, kind in zip(function.parameters, kinds, strict=True)]
    )
    writer = _Writer(facts, function)
    for parameter, kind in zip(function.parameters, kinds, strict=True):
        writer.kinds[parameter.name] = kind
        writer.taken.add(parameter.name)
    for block in all_blocks(function.body):
        writer.taken.update(name for s in block.statements for name in bound_names(s))
    result = facts.results[function.name].type
    return replace(
        function, parameters=parameters, result=result, body=writer.block(function.body, result)
    )


@dataclass(slots=True)
class _Writer:
    """Writes one function anew.

    kinds: of the names that it has written.  forms: the name that holds a name's value in another
    type, or a literal, as far as it is in scope.  same: names that stand for others.
    """

    facts: Facts
    function: Function
    out: list[Statement] = field(default_factory=list)
    kinds: dict[str, Kind] = field(default_factory=dict)
    literals: dict[str, Literal] = field(default_factory=dict)
    forms: dict[tuple[str, Type], str] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=dict)
    loops: dict[str, tuple[Type, ...]] = field(default_factory=dict)
    span: Span | None = None

    # Names.

    def fresh(self, wanted: str) -> str:
        name = fresh(wanted, self.taken, self.numbers, mark="")
        self.taken.add(name)
        return name

    def write(self, name: str, kind: Kind, operation: Operation, *, tail: bool = False) -> None:
        self.kinds[name] = kind
        self.put(name, kind.type, operation, tail=tail)

    def put(self, name: str, type_: Type, operation: Operation, *, tail: bool = False) -> None:
        assert self.span is not None
        self.out.append(Bind(name, type_, operation, self.span, tail))

    def kind(self, name: str) -> Kind:
        """What is known of a name here; it may have been proved to be a tensor."""
        name = self.same.get(name, name)
        if name in self.literals:
            return literal_kind(self.literals[name].value)
        kind = self.kinds[name]
        proved = kind is Kind.ANYTHING and (name, Type.TENSOR) in self.forms
        return Kind.TENSOR if proved else kind

    def need(self, name: str, type_: Type, who: str = "", noun: str = "") -> str:
        """A name that holds the value of name in a type, converted if it must be."""
        name = self.same.get(name, name)
        if (name, type_) in self.forms:
            return self.forms[name, type_]
        literal = self.literals.get(name)
        if literal is not None and _is_written_as(literal, type_):
            return self.literal(name, type_)
        if literal is None and self.kinds[name].type is type_:
            return name
        if literal is not None and type_ is Type.NUMBER:
            return self.convert(name, self.need(name, literal_kind(literal.value).type), type_)
        # What cannot be of the type becomes a value, whose conversion reports it: (tensor-item 5).
        direct = literal is None and _is_converted(self.kinds[name].type, type_)
        operand = name if direct else self.need(name, Type.VALUE)
        return self.convert(name, operand, type_, who, noun)

    def number(self, name: str) -> str:
        """A name that holds the value of name in any type that a number may have."""
        name = self.same.get(name, name)
        for type_ in (Type.FLOAT, Type.NUMBER):
            if (name, type_) in self.forms:
                return self.forms[name, type_]
        kind = self.kind(name)
        is_number = kind.type in (Type.FIXNUM, Type.FLOAT, Type.NUMBER)
        return self.need(name, kind.type if is_number else Type.VALUE)

    def convert(
        self, name: str, operand: str, type_: Type, who: str = "", noun: str = ""
    ) -> str:
        """Write the operand, which holds the value of name, in another type."""
        converted = self.fresh(f"{name}.{type_.value}")
        self.write(converted, _kind_of(type_), Convert(operand, who, noun))
        self.forms[name, type_] = converted
        return converted

    def values(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([self.need(name, Type.VALUE) for name in names])

    def literal(self, name: str, type_: Type) -> str:
        """Write a literal in the type in which it is used: the 2 of `(* x 2)` may be a double."""
        literal = self.literals[name]
        if type_ is Type.FLOAT and isinstance(literal.value, Number):
            literal = Literal(Number(float(literal.value.value), literal.value.span))
        target = name if name not in self.written else self.fresh(name + ".")
        self.written.add(name)
        self.write(target, _kind_of(type_), literal)
        self.forms[name, type_] = target
        return target

    # Blocks.

    @contextmanager
    def inner(self) -> Iterator[list[Statement]]:
        outside = self.out, self.forms, self.same
        self.out, self.forms, self.same = [], dict(self.forms), dict(self.same)
        yield self.out
        self.out, self.forms, self.same = outside

    def block(self, block: Block, type_: Type) -> Block:
        """type_: that of what the block yields; VOID if nobody wants it."""
        with self.inner() as statements:
            for statement in block.statements:
                assert not isinstance(statement, Free), "types come before ownership"
                self.span = statement.span
                self.statement(statement, type_ if _is_value_of(statement, block) else None)
            end = self.end(block, type_)
        return Block(tuple(statements), end)

    def end(self, block: Block, type_: Type) -> Terminator:
        end = block.end
        if self.span is None:
            self.span = self.function.span
        match end:
            case Yield(name):
                if block.statements and never_returns(block.statements[-1]):
                    return end  # the If or the Loop before it leaves by its own ends
                return Yield(self.need(name, Type.VALUE if type_ is Type.VOID else type_))
            case Recur(label, arguments):
                types = self.loops[label]
                names = [self.need(n, t) for n, t in zip(arguments, types, strict=True)]
                return Recur(label, tuple(names))
            case TailKnown(callee, arguments):
                return replace(end, arguments=self.for_call(callee, arguments))
            case TailUnknown(callee, arguments):
                callee = self.need(callee, Type.VALUE)
                return replace(end, callee=callee, arguments=self.values(arguments))
            case Raise():
                return end
            case _:
                assert_never(end)

    def statement(self, statement: Bind | If | Loop, wanted: Type | None) -> None:
        """wanted: the block's own type where the statement gives the block's value: what leaves
        the function from inside of it must leave at its end."""
        match statement:
            case Bind(name, _, Literal() as literal):
                self.literals[name] = literal
            case Bind(name, _, Truth(operand)):
                self.truth(name, operand)
            case Bind(name, type_, operation, tail=tail):
                self.operation(name, type_, operation, tail)
            case If(name, type_, test, then, orelse):
                type_ = Type.VOID if type_ is Type.VOID else self.declare(name, wanted)
                test = self.need(test, Type.BOOLEAN)
                span = statement.span
                blocks = self.block(then, type_), self.block(orelse, type_)
                self.out.append(If(name, type_, test, *blocks, span))
            case Loop():
                self.loop(statement, wanted)
            case _:
                assert_never(statement)

    def declare(self, name: str, wanted: Type | None = None) -> Type:
        """The type of a name that gets its value from blocks: by what inference has found, unless
        another one is wanted."""
        kind = self.facts.names[self.function.name].get(name, Kind.NOTHING)
        if wanted is not None and wanted not in (Type.VOID, kind.type):
            kind = _kind_of(wanted)
        self.kinds[name] = kind
        return kind.type

    def loop(self, loop: Loop, wanted: Type | None) -> None:
        types = tuple([self.declare(variable.name) for variable in loop.variables])
        variables = tuple(
            [
                LoopVariable(v.name, type_, self.need(v.initial, type_))
                for v, type_ in zip(loop.variables, types, strict=True)
            ]
        )
        self.loops[loop.label] = types
        type_ = self.declare(loop.name, wanted)
        body = self.block(loop.body, type_)
        self.out.append(replace(loop, type=type_, variables=variables, body=body))

    # Operations.

    def truth(self, name: str, operand: str) -> None:
        """A test: nothing to do for a boolean; numbers are true."""
        kind = self.kind(operand)
        if kind is Kind.BOOLEAN:
            self.same[name] = self.same.get(operand, operand)
        elif kind in (Kind.COUNTER, Kind.FIXNUM, Kind.FLOAT):
            assert self.span is not None
            self.literals[name] = Literal(Boolean(True, self.span))
        else:
            self.write(name, Kind.BOOLEAN, Truth(self.need(operand, Type.VALUE)))

    def operation(self, name: str, type_: Type, operation: Operation, tail: bool) -> None:
        value = Kind.ANYTHING
        match operation:
            case Apply():
                self.apply(name, type_, operation)
            case CallKnown(callee, arguments):
                call = CallKnown(callee, self.for_call(callee, arguments))
                self.write(name, self.facts.results[callee], call, tail=tail)
            case CallUnknown(callee, arguments, spread):
                callee = self.need(callee, Type.VALUE)
                call_value = CallUnknown(callee, self.values(arguments), spread)
                self.write(name, value, call_value, tail=tail)
            case MakeClosure(function, captures):
                self.write(name, value, MakeClosure(function, self.values(captures)))
            case MakeTensor(_, elements):
                made = replace(operation, elements=self.values(elements))
                self.write(name, Kind.TENSOR, made)
            case IsAbsent(operand):
                self.write(name, Kind.BOOLEAN, IsAbsent(self.need(operand, Type.VALUE)))
            case NewCell(operand):
                self.write(name, value, NewCell(self.need(operand, Type.VALUE)))
            case CellGet():
                self.write(name, value, operation)
            case CellSet(cell, new):
                self.put(name, type_, CellSet(cell, self.need(new, Type.VALUE)))
            case NewSlot(operand):
                slot = self.declare(name)
                self.put(name, slot, NewSlot(self.need(operand, slot)))
            case SlotGet(slot):
                self.write(name, self.kinds[slot], operation)
            case SlotSet(slot, new):
                self.put(name, type_, SlotSet(slot, self.need(new, self.kinds[slot].type)))
            case GlobalSet():
                new = self.need(operation.value, Type.VALUE)
                self.put(name, type_, replace(operation, value=new))
            case SetGradMode() | RestoreGradMode():
                self.put(name, type_, operation)
            case GlobalGet() | PrimitiveValue() | Fail():
                self.write(name, value, operation)
            case Literal() | Truth() | Convert() | Dup():
                raise AssertionError(operation)
            case _:
                assert_never(operation)

    def apply(self, name: str, type_: Type, apply: Apply) -> None:
        known = [self.argument(name) for name in apply.arguments]
        is_wanted = self.facts.is_wanted(self.function.name, name, apply.primitive)
        choice = choose(apply.primitive, known, is_wanted)
        parameters = apply.primitive.signature.params
        arguments = apply.arguments
        if choice.taken is not None:
            arguments = tuple([arguments[i] for i in choice.taken])
        names = tuple(
            [
                self.number(n)
                if wanted is Type.NUMBER
                else self.need(n, wanted, apply.primitive.name, _noun(parameters, i))
                for i, (n, wanted) in enumerate(zip(arguments, choice.types, strict=True))
            ]
        )
        hope = None if choice.variant else speculative_call(apply.primitive, known)
        call = Apply(apply.primitive, names, choice.variant, speculation=hope)
        if type_ is Type.VOID:
            self.put(name, type_, call)
        elif choice.becomes_tensor:
            boxed = self.fresh(f"{name}.value")
            self.write(boxed, Kind.ANYTHING, call)
            noun = signature.Type.TENSOR.noun
            self.write(name, Kind.TENSOR, Convert(boxed, apply.primitive.name, noun))
        else:
            self.write(name, choice.kind, call)

    def argument(self, name: str) -> Argument:
        """What is known of an operand.  Of what never gets a value it is just that C takes it for
        one: inference waits for more to come, but now nothing does."""
        literal = self.literals.get(self.same.get(name, name))
        kind = Kind.ANYTHING if self.kind(name) is Kind.NOTHING else self.kind(name)
        return Argument(kind, literal.value if literal else None, name)

    def for_call(self, callee: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
        kinds = self.facts.parameters[callee]
        return tuple([self.need(n, k.type) for n, k in zip(arguments, kinds, strict=True)])


def _is_value_of(statement: Statement, block: Block) -> bool:
    is_last = block.statements[-1] is statement
    return is_last and block.end == Yield(statement.name)


def _is_written_as(literal: Literal, type_: Type) -> bool:
    """Whether C can write the literal in that type."""
    if type_ is Type.FLOAT:
        return isinstance(literal.value, Number)
    return type_ in (Type.VALUE, literal_kind(literal.value).type)


def _is_converted(source: Type, target: Type) -> bool:
    """Whether one conversion leads from one type to the other."""
    if Type.VALUE in (source, target) or (source, target) == (Type.FIXNUM, Type.FLOAT):
        return True
    return target is Type.NUMBER and source in (Type.FIXNUM, Type.FLOAT)


def _noun(parameters: tuple[signature.Param, ...], index: int) -> str:
    return parameters[index].type.noun if index < len(parameters) else ""


def _kind_of(type_: Type) -> Kind:
    return {
        Type.VALUE: Kind.ANYTHING,
        Type.FIXNUM: Kind.FIXNUM,
        Type.FLOAT: Kind.FLOAT,
        Type.NUMBER: Kind.NUMBER,
        Type.BOOLEAN: Kind.BOOLEAN,
        Type.TENSOR: Kind.TENSOR,
    }[type_]
