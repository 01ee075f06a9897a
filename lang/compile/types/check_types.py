"""The verifier of types: every operation gets, and binds, what its C function takes and gives.

It knows nothing of how `convert` chooses types.  What an operation takes follows from declarations:
the signatures of primitives and their typed forms, the parameters and results of functions.

    t2: boolean = <(t1, t2)     right
    result: value = <(t1, t2)   TypesError: lambda: < gives a boolean, not a value, at: ...

Operations that free their arguments have C functions of their own, so it is also proved that there
is such a function, and that it gets what it can free.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, assert_never

from lambent.lang.compile.ir.anf import (
    FIXNUM_MAX,
    FIXNUM_MIN,
    Anf,
    Apply,
    Bind,
    Block,
    CellGet,
    CellSet,
    Convert,
    DirectCall,
    DirectTailCall,
    Dup,
    Fail,
    Free,
    Function,
    GlobalGet,
    GlobalSet,
    If,
    IndirectCall,
    IndirectTailCall,
    IsAbsent,
    Literal,
    Loop,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    PrimitiveValue,
    Raise,
    Recur,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Statement,
    Truth,
    Yield,
)
from lambent.lang.compile.ir.operands import may_free, may_yield, never_returns, reused
from lambent.lang.compile.ir.text import statement_head, terminator_text
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.syntax.datum import Boolean, Number

_VALUE = frozenset({Representation.VALUE})
_ANY_NUMBER = frozenset(
    {Representation.VALUE, Representation.NUMBER, Representation.FIXNUM, Representation.FLOAT}
)
# How C takes parameters: a primitive's own, and those of its typed forms.
_PLAIN = {Declared.TENSOR: Representation.TENSOR, Declared.BOOLEAN: Representation.BOOLEAN}
_TYPED = {**_PLAIN, Declared.FIXNUM: Representation.FIXNUM, Declared.FLOAT: Representation.FLOAT}
# How C gives results, where that is not a value.
_RESULTS = {**_TYPED, Declared.VOID: Representation.VOID}
_CONVERSIONS = {
    Representation.VALUE: {
        Representation.FIXNUM,
        Representation.FLOAT,
        Representation.NUMBER,
        Representation.BOOLEAN,
        Representation.TENSOR,
    },
    Representation.FIXNUM: {Representation.VALUE, Representation.FLOAT, Representation.NUMBER},
    Representation.FLOAT: {Representation.VALUE, Representation.NUMBER},
    Representation.NUMBER: {Representation.VALUE},
    Representation.BOOLEAN: {Representation.VALUE},
    Representation.TENSOR: {Representation.VALUE},
}

# What each operand may be, and what the result is.
Expected = tuple[tuple[frozenset[Representation], ...], Representation]


class TypesError(AssertionError):
    """An operation on what its C function does not take: a mistake of the compiler's."""


def check_types(program: Anf) -> None:
    """Raise TypesError unless all functions of the program are in order."""
    functions = {f.name: f for f in (*program.functions, program.main)}
    for function in functions.values():
        _Checker(function, functions).check()


@dataclass(slots=True)
class _Checker:
    """One walk through one function.  types: of the names so far; loops: those around the place."""

    function: Function
    functions: Mapping[str, Function]
    where: str = "the parameters"
    types: dict[str, Representation] = field(default_factory=dict)
    loops: dict[str, Loop] = field(default_factory=dict)

    def fail(self, message: str) -> NoReturn:
        raise TypesError(f"{self.function.name}: {message}, at: {self.where}")

    def check(self) -> None:
        self.types.update((p.name, p.representation) for p in self.function.parameters)
        self.block(self.function.body, self.function.result)

    def require(self, name: str, types: frozenset[Representation]) -> None:
        if (representation := self.types.get(name)) not in types:
            expected = " or ".join(sorted(t.value for t in types))
            self.fail(f"{name} is a {representation and representation.value}, not a {expected}")

    def require_all(self, names: tuple[str, ...], types: tuple[Representation, ...]) -> None:
        if len(names) != len(types):
            self.fail(f"{len(names)} operands where {len(types)} are expected")
        for name, representation in zip(names, types, strict=True):
            self.require(name, frozenset({representation}))

    # Blocks.

    def block(self, block: Block, representation: Representation) -> None:
        """type_: what the block must yield; VOID if nobody wants it."""
        for statement in block.statements:
            self.statement(statement)
        self.where = terminator_text(block.end)
        match block.end:
            case Yield(name):
                # Where control never comes to the end, its name has no value of any type.
                if may_yield(block) and representation is not Representation.VOID:
                    self.require(name, frozenset({representation}))
            case Recur(label, arguments):
                self.require_all(
                    arguments, tuple(v.representation for v in self.loops[label].variables)
                )
            case DirectTailCall(callee, arguments):
                function = self.functions[callee]
                self.require_all(arguments, tuple(p.representation for p in function.parameters))
                if function.result is not self.function.result:
                    self.fail(f"{callee} gives a {function.result.value}")
            case IndirectTailCall(callee, arguments):
                self.require_all(
                    (callee, *arguments), (Representation.VALUE,) * (1 + len(arguments))
                )
                if self.function.result is not Representation.VALUE:
                    self.fail("the trampoline gives a value")
            case Raise():
                pass
            case _:
                assert_never(block.end)

    def statement(self, statement: Statement) -> None:
        self.where = statement_head(statement)
        match statement:
            case Bind(name, representation, operation):
                self.bind(name, representation, operation, never_returns(statement))
            case If(name, representation, test, then, orelse):
                self.require(test, frozenset({Representation.BOOLEAN}))
                self.block(then, representation)
                self.block(orelse, representation)
                self.types[name] = representation
            case Loop(name, representation, label, variables, body):
                self.require_all(
                    tuple(v.initial for v in variables), tuple(v.representation for v in variables)
                )
                self.types.update((v.name, v.representation) for v in variables)
                self.loops[label] = statement
                self.block(body, representation)
                self.types[name] = representation
            case Free(name, representation):
                self.require(name, frozenset({representation}))
            case _:
                assert_never(statement)

    def bind(
        self, name: str, representation: Representation, operation: Operation, leaves: bool
    ) -> None:
        """leaves: control never comes back, so nothing is bound."""
        gives = self.operation(operation, representation)
        if gives is not representation and not leaves:
            self.fail(f"{name} is a {representation.value}, but becomes a {gives.value}")
        self.types[name] = representation

    # Operations.

    def operation(self, operation: Operation, bound: Representation) -> Representation:
        """Check the operands; the type of the result.  bound: what is said to be the result's."""
        match operation:
            case Literal():
                return self.literal(operation, bound)
            case Apply():
                return self.apply(operation)
            case DirectCall(callee, arguments):
                function = self.functions[callee]
                self.require_all(arguments, tuple(p.representation for p in function.parameters))
                return function.result
            case IndirectCall(callee, arguments, spread):
                if spread and not arguments:
                    self.fail("there is no list to spread")
                return self.of_values((callee, *arguments), Representation.VALUE)
            case MakeClosure(function_name, captures):
                return self.closure(self.functions[function_name], captures)
            case MakeTensor(shape, elements, spread):
                if spread and len(elements) != 1:
                    self.fail(f"{len(elements)} vectors of elements")
                if not spread and math.prod(shape) != len(elements):
                    self.fail(f"{len(elements)} elements for the shape {shape}")
                return self.of_values(elements, Representation.TENSOR)
            case Convert(operand):
                if bound not in _CONVERSIONS.get(self.types[operand], ()):
                    self.fail(f"no conversion of a {self.types[operand].value}")
                return bound
            case Truth(operand) | IsAbsent(operand):
                return self.of_values((operand,), Representation.BOOLEAN)
            case NewCell(operand) | CellGet(operand):
                return self.of_values((operand,), Representation.VALUE)
            case CellSet(cell, value):
                return self.of_values((cell, value), Representation.VOID)
            case GlobalSet(value=value):
                return self.of_values((value,), Representation.VOID)
            case NewSlot(operand) | SlotGet(operand) | Dup(operand):
                return self.types[operand]
            case SlotSet(slot, value):
                self.require(value, frozenset({self.types[slot]}))
                return Representation.VOID
            case RestoreGradMode(mode):
                self.require(mode, frozenset({Representation.GRAD_MODE}))
                return Representation.VOID
            case SetGradMode():
                return Representation.GRAD_MODE
            case GlobalGet() | PrimitiveValue() | Fail():
                return Representation.VALUE
            case _:
                assert_never(operation)

    def of_values(self, names: tuple[str, ...], result: Representation) -> Representation:
        for name in names:
            self.require(name, _VALUE)
        return result

    def literal(self, literal: Literal, bound: Representation) -> Representation:
        """What C can write in a type; every constant is a value, too."""
        match bound, literal.value:
            case (
                (Representation.VALUE, _)
                | (Representation.BOOLEAN, Boolean())
                | (Representation.FLOAT, Number())
            ):
                return bound
            case Representation.FIXNUM, Number(int() as number) if (
                FIXNUM_MIN <= number <= FIXNUM_MAX
            ):
                return bound
        return Representation.VALUE

    def closure(self, function: Function, captures: tuple[str, ...]) -> Representation:
        if len(captures) != function.captures:
            self.fail(f"{len(captures)} captures for the {function.captures} of {function.name}")
        if not function.escapes:
            self.fail(f"{function.name} is called only, and has no entry for its closures")
        if function.result is Representation.NUMBER or any(
            p.representation is not Representation.VALUE for p in function.parameters
        ):
            self.fail(f"anybody may call {function.name}, with values only")
        return self.of_values(captures, Representation.VALUE)

    def apply(self, apply: Apply) -> Representation:
        taken, result = _declared(apply.primitive, apply.variant, len(apply.arguments))
        if len(taken) != len(apply.arguments):
            self.fail(f"{len(apply.arguments)} operands where {len(taken)} are expected")
        for name, types in zip(apply.arguments, taken, strict=True):
            self.require(name, types)
        if apply.borrows and self.part(apply) is None:
            self.fail(f"{apply.primitive.name} lends no part of its argument")
        if apply.frees:
            self.freeing(apply)
        return result

    def part(self, apply: Apply) -> str | None:
        return apply.primitive.projection if apply.variant is None else apply.variant.projection

    def freeing(self, apply: Apply) -> None:
        """The C form that frees takes two numbers, or is a tensor operator that works in place."""
        if (place := reused(apply)) is not None:
            if apply.frees != (place,):
                self.fail(f"only operand {place} can be reused, not {apply.frees}")
            return
        if not may_free(apply) or len(apply.arguments) != 2 or set(apply.frees) - {0, 1}:
            self.fail(f"{apply.primitive.name} has no form that frees {apply.frees}")
        for index in apply.frees:
            self.require(
                apply.arguments[index], frozenset({Representation.VALUE, Representation.NUMBER})
            )


def _declared(primitive: Primitive, variant: Variant | None, count: int) -> Expected:
    """What a primitive or its typed form takes and gives, called with that many arguments."""
    signature = primitive.signature if variant is None else variant.signature
    types = _PLAIN if variant is None else _TYPED
    taken = [frozenset({types.get(p.type, Representation.VALUE)}) for p in signature.params]
    result = _RESULTS.get(signature.result, Representation.VALUE)
    if variant is not None:
        numbers = (p.type is Declared.NUMBER for p in signature.params)
        taken = [_ANY_NUMBER if n else t for n, t in zip(numbers, taken, strict=True)]
        if signature.result is Declared.NUMBER:
            result = Representation.NUMBER
    if signature.rest:
        taken += [_VALUE] * (count - len(taken))
    return tuple(taken), result
