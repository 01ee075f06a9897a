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
    Truth,
    Type,
    Yield,
)
from lambent.lang.compile.ir.operands import may_free, may_yield, never_returns, reused
from lambent.lang.compile.ir.text import statement_head, terminator_text
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.syntax.datum import Boolean, Number

_VALUE = frozenset({Type.VALUE})
_ANY_NUMBER = frozenset({Type.VALUE, Type.NUMBER, Type.FIXNUM, Type.FLOAT})
# How C takes parameters: a primitive's own, and those of its typed forms.
_PLAIN = {Declared.TENSOR: Type.TENSOR, Declared.BOOLEAN: Type.BOOLEAN}
_TYPED = {**_PLAIN, Declared.FIXNUM: Type.FIXNUM, Declared.FLOAT: Type.FLOAT}
# How C gives results, where that is not a value.
_RESULTS = {**_TYPED, Declared.VOID: Type.VOID}
_CONVERSIONS = {
    Type.VALUE: {Type.FIXNUM, Type.FLOAT, Type.NUMBER, Type.BOOLEAN, Type.TENSOR},
    Type.FIXNUM: {Type.VALUE, Type.FLOAT, Type.NUMBER},
    Type.FLOAT: {Type.VALUE, Type.NUMBER},
    Type.NUMBER: {Type.VALUE},
    Type.BOOLEAN: {Type.VALUE},
    Type.TENSOR: {Type.VALUE},
}

# What each operand may be, and what the result is.
Expected = tuple[tuple[frozenset[Type], ...], Type]


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
    types: dict[str, Type] = field(default_factory=dict)
    loops: dict[str, Loop] = field(default_factory=dict)

    def fail(self, message: str) -> NoReturn:
        raise TypesError(f"{self.function.name}: {message}, at: {self.where}")

    def check(self) -> None:
        self.types.update((p.name, p.type) for p in self.function.parameters)
        self.block(self.function.body, self.function.result)

    def require(self, name: str, types: frozenset[Type]) -> None:
        if (type_ := self.types.get(name)) not in types:
            expected = " or ".join(sorted(t.value for t in types))
            self.fail(f"{name} is a {type_ and type_.value}, not a {expected}")

    def require_all(self, names: tuple[str, ...], types: tuple[Type, ...]) -> None:
        if len(names) != len(types):
            self.fail(f"{len(names)} operands where {len(types)} are expected")
        for name, type_ in zip(names, types, strict=True):
            self.require(name, frozenset({type_}))

    # Blocks.

    def block(self, block: Block, type_: Type) -> None:
        """type_: what the block must yield; VOID if nobody wants it."""
        for statement in block.statements:
            self.statement(statement)
        self.where = terminator_text(block.end)
        match block.end:
            case Yield(name):
                # Where control never comes to the end, its name has no value of any type.
                if may_yield(block) and type_ is not Type.VOID:
                    self.require(name, frozenset({type_}))
            case Recur(label, arguments):
                self.require_all(arguments, tuple(v.type for v in self.loops[label].variables))
            case TailKnown(callee, arguments):
                function = self.functions[callee]
                self.require_all(arguments, tuple(p.type for p in function.parameters))
                if function.result is not self.function.result:
                    self.fail(f"{callee} gives a {function.result.value}")
            case TailUnknown(callee, arguments):
                self.require_all((callee, *arguments), (Type.VALUE,) * (1 + len(arguments)))
                if self.function.result is not Type.VALUE:
                    self.fail("the trampoline gives a value")
            case Raise():
                pass
            case _:
                assert_never(block.end)

    def statement(self, statement: Statement) -> None:
        self.where = statement_head(statement)
        match statement:
            case Bind(name, type_, operation):
                self.bind(name, type_, operation, never_returns(statement))
            case If(name, type_, test, then, orelse):
                self.require(test, frozenset({Type.BOOLEAN}))
                self.block(then, type_)
                self.block(orelse, type_)
                self.types[name] = type_
            case Loop(name, type_, label, variables, body):
                self.require_all(
                    tuple(v.initial for v in variables), tuple(v.type for v in variables)
                )
                self.types.update((v.name, v.type) for v in variables)
                self.loops[label] = statement
                self.block(body, type_)
                self.types[name] = type_
            case Free(name, type_):
                self.require(name, frozenset({type_}))
            case _:
                assert_never(statement)

    def bind(self, name: str, type_: Type, operation: Operation, leaves: bool) -> None:
        """leaves: control never comes back, so nothing is bound."""
        gives = self.operation(operation, type_)
        if gives is not type_ and not leaves:
            self.fail(f"{name} is a {type_.value}, but becomes a {gives.value}")
        self.types[name] = type_

    # Operations.

    def operation(self, operation: Operation, bound: Type) -> Type:
        """Check the operands; the type of the result.  bound: what is said to be the result's."""
        match operation:
            case Literal():
                return self.literal(operation, bound)
            case Apply():
                return self.apply(operation)
            case CallKnown(callee, arguments):
                function = self.functions[callee]
                self.require_all(arguments, tuple(p.type for p in function.parameters))
                return function.result
            case CallUnknown(callee, arguments, spread):
                if spread and not arguments:
                    self.fail("there is no list to spread")
                return self.of_values((callee, *arguments), Type.VALUE)
            case MakeClosure(function_name, captures):
                return self.closure(self.functions[function_name], captures)
            case MakeTensor(shape, elements, spread):
                if spread and len(elements) != 1:
                    self.fail(f"{len(elements)} vectors of elements")
                if not spread and math.prod(shape) != len(elements):
                    self.fail(f"{len(elements)} elements for the shape {shape}")
                return self.of_values(elements, Type.TENSOR)
            case Convert(operand):
                if bound not in _CONVERSIONS.get(self.types[operand], ()):
                    self.fail(f"no conversion of a {self.types[operand].value}")
                return bound
            case Truth(operand) | IsAbsent(operand):
                return self.of_values((operand,), Type.BOOLEAN)
            case NewCell(operand) | CellGet(operand):
                return self.of_values((operand,), Type.VALUE)
            case CellSet(cell, value):
                return self.of_values((cell, value), Type.VOID)
            case GlobalSet(value=value):
                return self.of_values((value,), Type.VOID)
            case NewSlot(operand) | SlotGet(operand) | Dup(operand):
                return self.types[operand]
            case SlotSet(slot, value):
                self.require(value, frozenset({self.types[slot]}))
                return Type.VOID
            case RestoreGradMode(mode):
                self.require(mode, frozenset({Type.GRAD_MODE}))
                return Type.VOID
            case SetGradMode():
                return Type.GRAD_MODE
            case GlobalGet() | PrimitiveValue() | Fail():
                return Type.VALUE
            case _:
                assert_never(operation)

    def of_values(self, names: tuple[str, ...], result: Type) -> Type:
        for name in names:
            self.require(name, _VALUE)
        return result

    def literal(self, literal: Literal, bound: Type) -> Type:
        """What C can write in a type; every constant is a value, too."""
        match bound, literal.value:
            case (Type.VALUE, _) | (Type.BOOLEAN, Boolean()) | (Type.FLOAT, Number()):
                return bound
            case Type.FIXNUM, Number(int() as number) if FIXNUM_MIN <= number <= FIXNUM_MAX:
                return bound
        return Type.VALUE

    def closure(self, function: Function, captures: tuple[str, ...]) -> Type:
        if len(captures) != function.captures:
            self.fail(f"{len(captures)} captures for the {function.captures} of {function.name}")
        if not function.as_value:
            self.fail(f"{function.name} is called only, and has no entry for its closures")
        if function.result is Type.NUMBER or any(
            p.type is not Type.VALUE for p in function.parameters
        ):
            self.fail(f"anybody may call {function.name}, with values only")
        return self.of_values(captures, Type.VALUE)

    def apply(self, apply: Apply) -> Type:
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
        return apply.primitive.part if apply.variant is None else apply.variant.part

    def freeing(self, apply: Apply) -> None:
        """The C form that frees takes two numbers, or is a tensor operator that works in place."""
        if (place := reused(apply)) is not None:
            if apply.frees != (place,):
                self.fail(f"only operand {place} can be reused, not {apply.frees}")
            return
        if not may_free(apply) or len(apply.arguments) != 2 or set(apply.frees) - {0, 1}:
            self.fail(f"{apply.primitive.name} has no form that frees {apply.frees}")
        for index in apply.frees:
            self.require(apply.arguments[index], frozenset({Type.VALUE, Type.NUMBER}))


def _declared(primitive: Primitive, variant: Variant | None, count: int) -> Expected:
    """What a primitive or its typed form takes and gives, called with that many arguments."""
    signature = primitive.signature if variant is None else variant.signature
    types = _PLAIN if variant is None else _TYPED
    taken = [frozenset({types.get(p.type, Type.VALUE)}) for p in signature.params]
    result = _RESULTS.get(signature.result, Type.VALUE)
    if variant is not None:
        numbers = (p.type is Declared.NUMBER for p in signature.params)
        taken = [_ANY_NUMBER if n else t for n, t in zip(numbers, taken, strict=True)]
        if signature.result is Declared.NUMBER:
            result = Type.NUMBER
    if signature.rest:
        taken += [_VALUE] * (count - len(taken))
    return tuple(taken), result

