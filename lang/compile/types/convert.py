"""Conversions: rewrites a program by the facts of inference.

Every binding gets its representation, every primitive the cheapest variant, and where a name has
another representation than an operation takes, a Convert is inserted.

    t1 = 3                               i: fixnum = loop ...
    t2 = vector-ref(v, i)          =>      i.value = convert i
                                           t2 = vector-ref(v, i.value)

A literal is written right before its first use, in the representation that this needs.  A value
that has been converted to a tensor is not converted again later, nor in the branches there.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    CellGet,
    CellSet,
    CheckStack,
    Convert,
    DirectCall,
    DirectTailCall,
    Doubles,
    Dup,
    Fail,
    Free,
    Function,
    GlobalGet,
    GlobalSet,
    GlobalVariable,
    HaveTypes,
    If,
    IndirectCall,
    IndirectTailCall,
    Inlined,
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
    Refine,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Statement,
    Terminator,
    Truth,
    Yield,
)
from lambent.lang.compile.ir.blocks import map_functions, names_in
from lambent.lang.compile.ir.fresh import Numbers, fresh
from lambent.lang.compile.ir.known import Known
from lambent.lang.compile.ir.operands import may_yield, never_returns
from lambent.lang.compile.ir.shapes import Shapes
from lambent.lang.compile.types.abstract_types import REFINED, AbstractType, Argument, literal_type
from lambent.lang.compile.types.choose_primitive import Choice, choose
from lambent.lang.compile.types.fast_paths import FastPath, fast_path
from lambent.lang.compile.types.infer import Facts, infer, version_for
from lambent.lang.compile.types.unboxing import RESULT
from lambent.lang.primitives import signature
from lambent.lang.primitives.ranges import FIXNUMS, Range
from lambent.lang.syntax.datum import Boolean, Number
from lambent.lang.syntax.source import Span
from lambent.lang.system.dataclass import dataclass, field, replace
from lambent.lang.system.timing import timed

_VALUE, _TENSOR = Representation.VALUE, Representation.TENSOR


def type_program(program: Anf) -> Anf:
    """The program with representations, variants of primitives, and conversions."""
    with timed("infer"):
        facts = infer(program)
    variables = tuple([_typed_variable(variable, facts) for variable in program.globals])
    return replace(map_functions(program, lambda f: _typed(f, facts)), globals=variables)


def _typed_variable(variable: GlobalVariable, facts: Facts) -> GlobalVariable:
    abstract_type, range_ = facts.of_global(variable.name, variable.namespace)
    return replace(variable, representation=abstract_type.representation, range=range_)


def _typed(function: Function, facts: Facts) -> Function:
    abstract_types = facts.parameters[function.name]
    parameters = tuple(
        [
            replace(
                p,
                representation=abstract_type.representation,
                range=facts.range(function.name, p.name, abstract_type),
            )
            for p, abstract_type in zip(function.parameters, abstract_types, strict=True)
        ]
    )
    writer = _Writer(facts, function)
    for parameter, abstract_type in zip(function.parameters, abstract_types, strict=True):
        writer.abstract_types[parameter.name] = abstract_type
    writer.taken.update(names_in(function))
    result = facts.results[function.name]
    return replace(
        function,
        parameters=parameters,
        result=result.representation,
        body=writer.block(function.body, result.representation),
        result_range=facts.range(function.name, RESULT, result),
    )


@dataclass(slots=True)
class _Writer:
    """Rewrites one function.

    abstract_types: of the names written so far.  converted_names: the name in scope that holds a
    name's value, or a literal, in a representation.  same: names that are replaced by others.
    shapes: what names hold here.  span, inlined: of the present statement.
    """

    facts: Facts
    function: Function
    out: list[Statement] = field(default_factory=list)
    abstract_types: dict[str, AbstractType] = field(default_factory=dict)
    literals: dict[str, Literal] = field(default_factory=dict)
    converted_names: Known[tuple[str, Representation], str] = field(default_factory=Known)
    same: dict[str, str] = field(default_factory=dict)
    shapes: Shapes = field(default_factory=Shapes)
    written: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(default_factory=dict)
    loops: dict[str, tuple[Representation, ...]] = field(default_factory=dict)
    span: Span | None = None
    inlined: tuple[Inlined, ...] = ()

    # Names.

    def fresh(self, required: str) -> str:
        name = fresh(required, self.taken, self.numbers, separator="")
        self.taken.add(name)
        return name

    def write(
        self, name: str, abstract_type: AbstractType, operation: Operation, *, tail: bool = False
    ) -> None:
        self.abstract_types[name] = abstract_type
        self.put(name, abstract_type.representation, operation, tail=tail)

    def put(
        self, name: str, representation: Representation, operation: Operation, *, tail: bool = False
    ) -> None:
        assert self.span is not None
        bind = Bind(name, representation, operation, self.span, tail, inlined=self.inlined)
        self.out.append(bind)
        self.shapes.bind(name, operation)

    def abstract_type(self, name: str) -> AbstractType:
        """The abstract type of a name here, where it may have been proved to be a tensor."""
        name = self.same.get(name, name)
        if name in self.literals:
            return literal_type(self.literals[name].value)
        abstract_type = self.abstract_types[name]
        proved = (
            abstract_type is AbstractType.ANYTHING
            and (name, Representation.TENSOR) in self.converted_names.facts
        )
        return AbstractType.TENSOR if proved else abstract_type

    def need(self, name: str, representation: Representation, who: str = "", noun: str = "") -> str:
        """A name that holds the value of name in a representation, converted if necessary."""
        name = self.same.get(name, name)
        if (converted := self.converted_names.facts.get((name, representation))) is not None:
            return converted
        literal = self.literals.get(name)
        if literal is not None and _is_written_as(literal, representation):
            return self.literal(name, representation)
        if literal is None and self.abstract_types[name].representation is representation:
            return name
        if literal is not None and representation is Representation.NUMBER:
            return self.convert(
                name, self.need(name, literal_type(literal.value).representation), representation
            )
        # A wrong value is converted through VALUE, which reports the error: (tensor-item 5).
        direct = literal is None and _is_converted(
            self.abstract_types[name].representation, representation
        )
        operand = name if direct else self.need(name, Representation.VALUE)
        return self.convert(name, operand, representation, who, noun)

    def range(self, name: str) -> Range:
        """The range of all values of a name, if they are integers."""
        return self.facts.range(self.function.name, name, self.abstract_types[name])

    def number(self, name: str) -> str:
        """A name that holds the value of name in any representation of a number: not an integer as
        a double, which `(/ i 3.0)` may need after `(* i 0.5)`."""
        name = self.same.get(name, name)
        abstract_type = self.abstract_type(name)
        for representation in (Representation.FLOAT, Representation.NUMBER):
            rounded = (
                representation is Representation.FLOAT
                and abstract_type.representation is Representation.FIXNUM
            )
            converted = self.converted_names.facts.get((name, representation))
            if not rounded and converted is not None:
                return converted
        is_number = abstract_type.representation in (
            Representation.FIXNUM,
            Representation.FLOAT,
            Representation.NUMBER,
        )
        return self.need(name, abstract_type.representation if is_number else Representation.VALUE)

    def convert(
        self, name: str, operand: str, representation: Representation, who: str = "", noun: str = ""
    ) -> str:
        """Convert the operand, which holds the value of name, to a representation."""
        converted = self.fresh(f"{name}.{representation.value}")
        fits = self.shapes.fits(operand, representation)
        conversion = Convert(operand, who, noun, fits)
        self.write(converted, _abstract_type_of(representation), conversion)
        self.converted_names.learn((name, representation), converted)
        return converted

    def values(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([self.need(name, Representation.VALUE) for name in names])

    def literal(self, name: str, representation: Representation) -> str:
        """Write a literal in the representation of its use: the 2 of `(* x 2)` may be a double."""
        literal = self.literals[name]
        if representation is Representation.FLOAT and isinstance(literal.value, Number):
            literal = Literal(Number(float(literal.value.value), literal.value.span))
        target = name if name not in self.written else self.fresh(name + ".")
        self.written.add(name)
        self.write(target, _abstract_type_of(representation), literal)
        self.converted_names.learn((name, representation), target)
        return target

    # Blocks.

    @contextmanager
    def inner(self) -> Iterator[list[Statement]]:
        outside, mark = self.out, self.converted_names.mark()
        self.out = []
        yield self.out
        self.out = outside
        self.converted_names.leave(mark)

    def block(self, block: Block, representation: Representation) -> Block:
        """representation: of the value that the block yields; VOID if the value is not used."""
        with self.inner() as statements:
            for statement in block.statements:
                assert not isinstance(statement, Free), "types come before ownership"
                self.span = statement.span
                self.inlined = statement.inlined if isinstance(statement, Bind) else ()
                self.statement(
                    statement, representation if _is_value_of(statement, block) else None
                )
            self.inlined = ()
            end = self.end(block, representation)
        return Block(tuple(statements), end)

    def end(self, block: Block, representation: Representation) -> Terminator:
        end = block.end
        if self.span is None:
            self.span = self.function.span
        match end:
            case Yield(name):
                if block.statements and never_returns(block.statements[-1]):
                    return end  # the If or the Loop before it never yields
                return Yield(
                    self.need(
                        name,
                        Representation.VALUE
                        if representation is Representation.VOID
                        else representation,
                    )
                )
            case Recur(label, arguments):
                types = self.loops[label]
                names = [self.need(n, t) for n, t in zip(arguments, types, strict=True)]
                return Recur(label, tuple(names))
            case DirectTailCall(callee, arguments):
                callee = self.version(callee, arguments)
                return replace(end, function=callee, arguments=self.for_call(callee, arguments))
            case IndirectTailCall(callee, arguments):
                callee = self.need(callee, Representation.VALUE)
                return replace(end, callee=callee, arguments=self.values(arguments))
            case Raise():
                return end
            case _:
                assert_never(end)

    def statement(self, statement: Bind | If | Loop, required: Representation | None) -> None:
        """required: the representation that the block must yield, if the statement is its value; a
        tail call inside of the statement then stays one."""
        match statement:
            case Bind(name, _, Literal() as literal):
                self.literals[name] = literal
            case Bind(name, _, Truth(operand)):
                self.truth(name, operand)
            case Bind(name, _, HaveTypes() as test):
                self.have_types(name, test)
            case Bind(name, _, Refine(operand, type_)):
                self.refine(name, operand, type_)
            case Bind(name, representation, operation, tail=tail):
                self.operation(name, representation, operation, tail)
            case If(name, representation, test, then, orelse):
                representation = (
                    Representation.VOID
                    if representation is Representation.VOID
                    else self.declare(name, required)
                )
                test = self.need(test, Representation.BOOLEAN)
                mark = self.shapes.known.mark()
                self.shapes.succeed(test)
                then = self.block(then, representation)
                self.shapes.known.leave(mark)
                orelse = self.block(orelse, representation)
                if may_yield(then):
                    self.shapes.known.leave(mark)
                self.out.append(If(name, representation, test, then, orelse, statement.span))
            case Loop():
                self.loop(statement, required)
            case _:
                assert_never(statement)

    def declare(self, name: str, required: Representation | None = None) -> Representation:
        """The representation of a name that gets its value from blocks: that of its abstract type,
        unless another one is required."""
        abstract_type = self.facts.names[self.function.name].get(name, AbstractType.NOTHING)
        if required is not None and required not in (
            Representation.VOID,
            abstract_type.representation,
        ):
            abstract_type = _abstract_type_of(required)
        self.abstract_types[name] = abstract_type
        return abstract_type.representation

    def loop(self, loop: Loop, required: Representation | None) -> None:
        types = tuple([self.declare(variable.name) for variable in loop.variables])
        variables = tuple(
            [
                LoopVariable(
                    v.name,
                    representation,
                    self.need(v.initial, representation),
                    range=self.range(v.name),
                )
                for v, representation in zip(loop.variables, types, strict=True)
            ]
        )
        self.loops[loop.label] = types
        representation = self.declare(loop.name, required)
        body = self.block(loop.body, representation)
        self.out.append(
            replace(loop, representation=representation, variables=variables, body=body)
        )

    # Operations.

    def tested(self, name: str, type_: Representation | Doubles) -> str:
        """A name that holds the value of name, for a test of its type."""
        name = self.same.get(name, name)
        is_number = name not in self.literals and not isinstance(type_, Doubles) and (
            self.abstract_types[name].representation is Representation.NUMBER
        )
        return name if is_number else self.need(name, _VALUE)

    def have_types(self, name: str, test: HaveTypes) -> None:
        """A test of those names whose types are not known without it."""
        unknown = [
            (self.tested(operand, type_), type_)
            for operand, type_ in zip(test.operands, test.types, strict=True)
            if not self.has_type(operand, type_)
        ]
        if not unknown:
            assert self.span is not None
            self.literals[name] = Literal(Boolean(True, self.span))
            return
        self.write_test(name, [operand for operand, _ in unknown], [type_ for _, type_ in unknown])

    def write_test(
        self, name: str, operands: Sequence[str], types: Sequence[Representation | Doubles]
    ) -> None:
        self.write(name, AbstractType.BOOLEAN, HaveTypes(tuple(operands), tuple(types)))

    def refine(self, name: str, operand: str, type_: Representation) -> None:
        if self.has_type(operand, type_):
            self.same[name] = self.same.get(operand, operand)
        else:
            tested = self.tested(operand, type_)
            self.write(name, REFINED[type_], Convert(tested, "", "", fits=True))

    def has_type(self, name: str, type_: Representation | Doubles) -> bool:
        return self.abstract_type(name).representation is type_

    def truth(self, name: str, operand: str) -> None:
        """A test: a boolean is its own test; numbers, pairs, vectors and records are true."""
        abstract_type = self.abstract_type(operand)
        if abstract_type is AbstractType.BOOLEAN:
            self.same[name] = self.same.get(operand, operand)
        elif self.shapes.has_shape(self.same.get(operand, operand)) or abstract_type in (
            AbstractType.COUNTER,
            AbstractType.FIXNUM,
            AbstractType.FLOAT,
        ):
            assert self.span is not None
            self.literals[name] = Literal(Boolean(True, self.span))
        else:
            self.write(name, AbstractType.BOOLEAN, Truth(self.need(operand, Representation.VALUE)))

    def operation(
        self, name: str, representation: Representation, operation: Operation, tail: bool
    ) -> None:
        value = AbstractType.ANYTHING
        match operation:
            case Apply():
                self.apply(name, representation, operation)
            case DirectCall(callee, arguments, caught):
                callee = self.version(callee, arguments)
                given = self.for_call(callee, arguments)
                call = replace(operation, function=callee, arguments=given)
                result = value if caught else self.facts.results[callee]
                self.write(name, result, call, tail=tail)
            case IndirectCall(callee, arguments, spread):
                callee = self.need(callee, Representation.VALUE)
                call_value = IndirectCall(callee, self.values(arguments), spread)
                self.write(name, value, call_value, tail=tail)
            case MakeClosure(function, captures):
                self.write(name, value, MakeClosure(function, self.values(captures)))
            case MakeTensor(_, elements):
                tensor = replace(operation, elements=self.values(elements))
                self.write(name, AbstractType.TENSOR, tensor)
            case IsAbsent(operand):
                self.write(
                    name, AbstractType.BOOLEAN, IsAbsent(self.need(operand, Representation.VALUE))
                )
            case NewCell(operand):
                self.write(name, value, NewCell(self.need(operand, Representation.VALUE)))
            case CellGet():
                self.write(name, value, operation)
            case CellSet(cell, new):
                self.put(name, representation, CellSet(cell, self.need(new, Representation.VALUE)))
            case NewSlot(operand):
                declared = self.declare(name)
                new_slot = NewSlot(self.need(operand, declared), self.range(name))
                self.put(name, declared, new_slot)
            case SlotGet(slot):
                self.write(name, self.abstract_types[slot], operation)
            case SlotSet(slot, new):
                self.put(
                    name,
                    representation,
                    SlotSet(slot, self.need(new, self.abstract_types[slot].representation)),
                )
            case GlobalGet(variable, namespace):
                self.write(name, self.facts.of_global(variable, namespace)[0], operation)
            case GlobalSet(variable, namespace):
                held = self.facts.of_global(variable, namespace)[0]
                new = self.need(operation.value, held.representation)
                self.put(name, representation, replace(operation, value=new))
            case SetGradMode() | RestoreGradMode():
                self.put(name, representation, operation)
            case PrimitiveValue() | Fail():
                self.write(name, value, operation)
            case Literal() | Truth() | HaveTypes() | Refine() | Convert() | Dup() | CheckStack():
                raise AssertionError(operation)
            case _:
                assert_never(operation)

    def apply(self, name: str, representation: Representation, apply: Apply) -> None:
        ranges = self.facts.operands[self.function.name].get(name) or repeat(FIXNUMS)
        operands = [
            replace(self.argument(operand), range=found)
            for operand, found in zip(apply.arguments, ranges, strict=False)
        ]
        has_unboxing_demand = self.facts.has_unboxing_demand(
            self.function.name, name, apply.primitive
        )
        field_type = self.facts.fields.read(self.function.name, apply)
        length = self.facts.doubles.get((self.function.name, name))
        choice = choose(apply.primitive, operands, has_unboxing_demand, field_type, length)
        if choice.variant is None and (fast := fast_path(apply.primitive, operands)) is not None:
            self.tested_apply(name, apply, choice, fast)
            return
        self.plain_apply(name, representation, apply, choice)

    def plain_apply(
        self, name: str, representation: Representation, apply: Apply, choice: Choice
    ) -> None:
        parameters = apply.primitive.signature.params
        arguments = apply.arguments
        if choice.taken is not None:
            arguments = tuple([arguments[i] for i in choice.taken])
        names = tuple(
            [
                self.number(n)
                if required is Representation.NUMBER
                else self.need(n, required, apply.primitive.name, _noun(parameters, i))
                for i, (n, required) in enumerate(zip(arguments, choice.types, strict=True))
            ]
        )
        call = Apply(apply.primitive, names, choice.variant)
        of_doubles = choice.variant is not None and choice.variant.of_doubles
        if not of_doubles and self.shapes.has_field(call):
            call = replace(call, field=self.shapes.field_read(call))
        if representation is Representation.VOID:
            self.put(name, representation, call)
        elif choice.becomes_tensor:
            boxed = self.fresh(f"{name}.value")
            self.write(boxed, AbstractType.ANYTHING, call)
            noun = signature.Type.TENSOR.noun
            self.write(name, AbstractType.TENSOR, Convert(boxed, apply.primitive.name, noun))
        else:
            self.write(name, choice.abstract_type, call)

    def tested_apply(self, name: str, apply: Apply, choice: Choice, fast: FastPath) -> None:
        """A call of an operator in two branches: by its typed entry point, and by its name."""
        assert self.span is not None
        tested = {index: self.need(apply.arguments[index], _VALUE) for index in fast.tested}
        types = dict(zip(fast.taken, fast.types, strict=True))
        test = self.fresh(f"{name}.fits")
        required = [types[index] for index in tested]
        self.write_test(test, list(tested.values()), required)
        result = _TENSOR if choice.becomes_tensor else _VALUE
        mark = self.shapes.known.mark()
        with self.inner() as then:
            self.shapes.succeed(test)
            names = [self.need(apply.arguments[i], types[i]) for i in fast.taken]
            found = self.fresh(f"{name}.found")
            call = Apply(apply.primitive, tuple(names), fast.variant)
            self.write(found, AbstractType.TENSOR, call)
            end = Yield(self.need(found, result))
            fitting = Block(tuple(then), end)
        self.shapes.known.leave(mark)
        with self.inner() as orelse:
            other = self.fresh(f"{name}.other")
            self.plain_apply(other, _VALUE, apply, choice)
            calling = Block(tuple(orelse), Yield(other))
        self.shapes.known.leave(mark)
        self.abstract_types[name] = choice.abstract_type
        self.out.append(If(name, result, test, fitting, calling, self.span))

    def argument(self, name: str) -> Argument:
        """The facts about an operand.  A name that never gets a value counts as ANYTHING here:
        there are no more values to wait for, as inference does."""
        literal = self.literals.get(self.same.get(name, name))
        abstract_type = (
            AbstractType.ANYTHING
            if self.abstract_type(name) is AbstractType.NOTHING
            else self.abstract_type(name)
        )
        is_integer = self.facts.is_integer(self.function.name, name, abstract_type)
        value = literal.value if literal else None
        return Argument(abstract_type, value, name, is_integer=is_integer)

    def version(self, callee: str, arguments: tuple[str, ...]) -> str:
        types = [self.abstract_type(name) for name in arguments]
        return version_for(self.facts.functions[callee], types)

    def for_call(self, callee: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
        abstract_types = self.facts.parameters[callee]
        return tuple(
            [self.need(n, k.representation) for n, k in zip(arguments, abstract_types, strict=True)]
        )


def _is_value_of(statement: Statement, block: Block) -> bool:
    is_last = block.statements[-1] is statement
    return is_last and block.end == Yield(statement.name)


def _is_written_as(literal: Literal, representation: Representation) -> bool:
    """Whether C can write the literal in that representation."""
    if representation is Representation.FLOAT:
        return isinstance(literal.value, Number)
    return representation in (Representation.VALUE, literal_type(literal.value).representation)


def _is_converted(source: Representation, target: Representation) -> bool:
    """Whether one conversion is enough."""
    if Representation.VALUE in (source, target) or (source, target) == (
        Representation.FIXNUM,
        Representation.FLOAT,
    ):
        return True
    return target is Representation.NUMBER and source in (
        Representation.FIXNUM,
        Representation.FLOAT,
    )


def _noun(parameters: tuple[signature.Param, ...], index: int) -> str:
    return parameters[index].type.noun if index < len(parameters) else ""


def _abstract_type_of(representation: Representation) -> AbstractType:
    return _ABSTRACT_TYPES[representation]


_ABSTRACT_TYPES = {
    Representation.VALUE: AbstractType.ANYTHING,
    Representation.FIXNUM: AbstractType.FIXNUM,
    Representation.FLOAT: AbstractType.FLOAT,
    Representation.NUMBER: AbstractType.NUMBER,
    Representation.BOOLEAN: AbstractType.BOOLEAN,
    Representation.TENSOR: AbstractType.TENSOR,
}
