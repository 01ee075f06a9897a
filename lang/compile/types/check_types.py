"""The verifier of representations: each operation has the operands and the result of its C
function.

It does not know how `convert` chooses representations.  It uses only declarations: the signatures
of primitives and of their variants, the parameters and results of functions.

    t2: boolean = <(t1, t2)     right
    result: value = <(t1, t2)   TypesError: lambda: result is a value, but the operation returns a
                                boolean, at: ...

Operations that free their arguments have C functions of their own.  It also proves that there is
such a function, and that it can free these arguments.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NoReturn, assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
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
    HaveTypes,
    If,
    IndirectCall,
    IndirectTailCall,
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
    Refine,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Truth,
)
from lambent.lang.compile.ir.blocks import Target
from lambent.lang.compile.ir.forward import Forward
from lambent.lang.compile.ir.operands import may_free, never_returns, reused
from lambent.lang.compile.ir.proved import unproved
from lambent.lang.compile.ir.shapes import Held, Shapes
from lambent.lang.compile.ir.text import place_text
from lambent.lang.compile.types.check_bounds import check_bounds
from lambent.lang.compile.types.check_doubles import check_doubles
from lambent.lang.compile.types.check_ranges import check_ranges
from lambent.lang.core.ir import Namespace
from lambent.lang.primitives.ranges import FIXNUMS
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.syntax.datum import Boolean, Number
from lambent.lang.system.dataclass import dataclass, field

_VALUE = frozenset({Representation.VALUE})
_NUMBER = frozenset({Representation.NUMBER})
_FLOAT = frozenset({Representation.FLOAT})
_ANY_NUMBER = frozenset(
    {Representation.VALUE, Representation.NUMBER, Representation.FIXNUM, Representation.FLOAT}
)
# How C takes parameters: a primitive's own, and those of its variants.
_PLAIN = {Declared.TENSOR: Representation.TENSOR, Declared.BOOLEAN: Representation.BOOLEAN}
_TYPED = {**_PLAIN, Declared.FIXNUM: Representation.FIXNUM, Declared.FLOAT: Representation.FLOAT}
# How C returns results that are not values.
_RESULTS = {**_TYPED, Declared.VOID: Representation.VOID}
# What a conversion that can fail leads to, by its words for what it expects.
_WORDED = {declared.noun: representation for declared, representation in _PLAIN.items()}
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
    Representation.NUMBER: {Representation.VALUE, Representation.FIXNUM, Representation.FLOAT},
    Representation.BOOLEAN: {Representation.VALUE},
    Representation.TENSOR: {Representation.VALUE},
}

# What can be tested of a value.
_TESTED = {Representation.FIXNUM, Representation.FLOAT, Representation.TENSOR}

# The representations that each operand may have, and that of the result.
Expected = tuple[tuple[frozenset[Representation], ...], Representation]


class TypesError(Exception):
    """An operand that its C function does not take: a bug of the compiler."""


def check_types(program: Anf, proved: Anf | None = None) -> None:
    """Raise TypesError unless all functions of the program are in order.

    proved: the program before the last pass, if that has been proved.
    """
    functions = program.by_name
    variables = {(v.name, v.namespace): v.representation for v in program.globals}
    for function in unproved(program, proved):
        _Checker(function, functions, variables).check()
    check_ranges(program, proved)
    check_doubles(program, proved)
    check_bounds(program, proved)


@dataclass(slots=True)
class _Checker(Forward[str, Held]):
    """One walk through one function.

    types: of the names so far.  shapes: what is known of the names here.  rounded: doubles made
    from exact numbers, which only operations on doubles may use, because others would show the
    difference.  integers: exact ones of any size, not held as int64_t.
    """

    function: Function
    functions: Mapping[str, Function]
    variables: Mapping[tuple[str, Namespace], Representation]
    types: dict[str, Representation] = field(default_factory=dict)
    shapes: Shapes = field(default_factory=Shapes)
    rounded: set[str] = field(default_factory=set)
    integers: set[str] = field(default_factory=set)

    def fail(self, message: str) -> NoReturn:
        raise TypesError(f"{self.function.name}: {message}, at: {place_text(self.where)}")

    def check(self) -> None:
        self.types.update((p.name, p.representation) for p in self.function.parameters)
        self.begin(self.shapes.known)
        self.block(self.function.body)

    def require(
        self, name: str, types: frozenset[Representation], *, of_doubles: bool = False
    ) -> None:
        """of_doubles: the operation computes with doubles, whatever its operand was."""
        if name in self.rounded and not of_doubles:
            self.fail(f"{name} is an exact number, here a double, and may be seen")
        if (representation := self.types.get(name)) not in types:
            expected = " or ".join(sorted(t.value for t in types))
            self.fail(f"{name} is a {representation and representation.value}, not a {expected}")

    def require_all(self, names: tuple[str, ...], types: tuple[Representation, ...]) -> None:
        if len(names) != len(types):
            self.fail(f"{len(names)} operands where {len(types)} are expected")
        for name, representation in zip(names, types, strict=True):
            self.require(name, frozenset({representation}))

    # Blocks.

    def flow(self, names: Sequence[str], targets: Sequence[Target]) -> None:
        if len(names) != len(targets):
            self.fail(f"{len(names)} operands where {len(targets)} are expected")
        for name, target in zip(names, targets, strict=True):
            expected = self.function.result if target is None else target.representation
            if expected is not Representation.VOID:  # else nothing uses the value
                self.require(name, frozenset({expected}))
            if isinstance(target, LoopVariable):
                self.types[target.name] = expected

    def test(self, name: str, holds: bool) -> None:
        self.require(name, frozenset({Representation.BOOLEAN}))
        if holds:
            self.shapes.succeed(name)

    def bound(self, statement: If | Loop) -> None:
        self.types[statement.name] = statement.representation

    def free(self, free: Free) -> None:
        self.require(free.name, frozenset({free.representation}))

    def leave(self, end: DirectTailCall | IndirectTailCall | Raise) -> None:
        match end:
            case DirectTailCall(callee, arguments):
                function = self.functions[callee]
                self.require_all(arguments, tuple(p.representation for p in function.parameters))
                if function.result is not self.function.result:
                    self.fail(f"{callee} returns a {function.result.value}")
            case IndirectTailCall(callee, arguments):
                self.require_all(
                    (callee, *arguments), (Representation.VALUE,) * (1 + len(arguments))
                )
                if self.function.result is not Representation.VALUE:
                    self.fail("the trampoline returns a value")

    def bind(self, bind: Bind) -> None:
        name, representation, operation = bind.name, bind.representation, bind.operation
        result = self.operation(operation, representation)
        if result is not representation and not never_returns(bind):
            self.fail(
                f"{name} is a {representation.value}, but the operation returns a {result.value}"
            )
        self.types[name] = representation
        if representation is Representation.FLOAT and self.is_exact(operation):
            self.rounded.add(name)
        if representation is not Representation.FLOAT and self.returns_integer(operation):
            self.integers.add(name)
        self.shapes.bind(name, operation)

    def is_exact(self, operation: Operation) -> bool:
        """Whether an operation rounds an exact number to a double."""
        match operation:
            case Literal(Number(value)):
                return not isinstance(value, float)
            case Convert(operand):
                return self.types[operand] is Representation.FIXNUM
            case _:
                return False

    def is_integer(self, name: str) -> bool:
        """Whether a value is certainly an exact integer."""
        return self.types.get(name) is Representation.FIXNUM or name in self.integers

    def returns_integer(self, operation: Operation) -> bool:
        match operation:
            case Literal(Number(value)):
                return isinstance(value, int)
            case Dup(operand) | Convert(operand):
                return self.is_integer(operand)
            case Apply(primitive, arguments):
                return primitive.keeps_integers and all(map(self.is_integer, arguments))
        return False

    # Operations.

    def operation(self, operation: Operation, bound: Representation) -> Representation:
        """Check the operands; the representation of the result.  bound: that of the bound name."""
        match operation:
            case Literal():
                return self.literal(operation, bound)
            case Apply():
                return self.apply(operation)
            case DirectCall(callee, arguments, caught):
                function = self.functions[callee]
                self.require_all(arguments, tuple(p.representation for p in function.parameters))
                return Representation.VALUE if caught else function.result
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
            case Convert(operand, noun=noun, fits=fits):
                may_fail = self.types[operand] is Representation.VALUE and not fits
                if may_fail and _WORDED.get(noun, bound) is not bound:
                    self.fail(f"{operand} must be {noun}, and becomes a {bound.value}")
                from_number = self.types[operand] is Representation.NUMBER
                needs_test = fits or (from_number and bound is not Representation.VALUE)
                if needs_test and (not fits or not self.shapes.fits(operand, bound)):
                    self.fail(f"no test has found that {operand} fits")
                if operand in self.rounded:
                    self.fail(f"{operand} is an exact number, here a double, and may be seen")
                if bound not in _CONVERSIONS.get(self.types[operand], ()):
                    self.fail(f"no conversion of a {self.types[operand].value}")
                return bound
            case Truth(operand) | IsAbsent(operand):
                return self.of_values((operand,), Representation.BOOLEAN)
            case HaveTypes(names, types):
                if len(names) != len(types):
                    self.fail("no type for each name")
                for name, type_ in zip(names, types, strict=True):
                    if not isinstance(type_, Doubles) and type_ not in _TESTED:
                        self.fail(f"no test of {type_.value}")
                    of_vector = isinstance(type_, Doubles)
                    self.require(name, _VALUE if of_vector else _VALUE | _NUMBER)
                return Representation.BOOLEAN
            case NewCell(operand) | CellGet(operand):
                return self.of_values((operand,), Representation.VALUE)
            case CellSet(cell, value):
                return self.of_values((cell, value), Representation.VOID)
            case GlobalSet(name, namespace, value):
                self.require(value, frozenset({self.variable(name, namespace)}))
                return Representation.VOID
            case GlobalGet(name, namespace, _, checked):
                held = self.variable(name, namespace)
                if checked and held is not Representation.VALUE:
                    self.fail(f"{name} may have no value yet, and is a {held.value}")
                return held
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
            case CheckStack():
                return Representation.VOID
            case PrimitiveValue() | Fail():
                return Representation.VALUE
            case Refine():
                raise AssertionError(f"{operation}: `convert` replaces it")
            case _:
                assert_never(operation)

    def variable(self, name: str, namespace: Namespace) -> Representation:
        """How C holds a top-level variable."""
        return self.variables.get((name, namespace), Representation.VALUE)

    def of_values(self, names: tuple[str, ...], result: Representation) -> Representation:
        for name in names:
            self.require(name, _VALUE)
        return result

    def literal(self, literal: Literal, bound: Representation) -> Representation:
        """The representation in which C can write a literal: bound, if possible."""
        match bound, literal.value:
            case (
                (Representation.VALUE, _)
                | (Representation.BOOLEAN, Boolean())
                | (Representation.FLOAT, Number())
            ):
                return bound
            case Representation.FIXNUM, Number(int() as number) if number in FIXNUMS:
                return bound
        return Representation.VALUE

    def closure(self, function: Function, captures: tuple[str, ...]) -> Representation:
        if len(captures) != function.captures:
            self.fail(f"{len(captures)} captures for the {function.captures} of {function.name}")
        if not function.escapes:
            self.fail(f"{function.name} does not escape, so it has no entry point for closures")
        if function.result is Representation.NUMBER or any(
            p.representation is not Representation.VALUE for p in function.parameters
        ):
            self.fail(f"{function.name} escapes, so it must take values only")
        return self.of_values(captures, Representation.VALUE)

    def apply(self, apply: Apply) -> Representation:
        taken, result = _declared(apply.primitive, apply.variant, len(apply.arguments))
        if len(taken) != len(apply.arguments):
            self.fail(f"{len(apply.arguments)} operands where {len(taken)} are expected")
        for name, types in zip(apply.arguments, taken, strict=True):
            self.require(name, types, of_doubles=types == _FLOAT)
        if apply.variant is not None:
            self.integers_are_proved(apply.variant, apply.arguments)
        if apply.field is not None and not self.shapes.has_field(apply):
            self.fail(f"{apply.arguments[0]} is not known to have a field {apply.field}")
        if apply.borrows and self.projection(apply) is None:
            self.fail(f"{apply.primitive.name} has no borrowed projection")
        if apply.frees:
            self.freeing(apply)
        return result

    def integers_are_proved(self, variant: Variant, arguments: tuple[str, ...]) -> None:
        for parameter, name in zip(variant.signature.params, arguments, strict=True):
            if parameter.type is Declared.INTEGER and not self.is_integer(name):
                self.fail(f"{name} is not known to be an exact integer")

    def projection(self, apply: Apply) -> str | None:
        return apply.primitive.projection if apply.variant is None else apply.variant.projection

    def freeing(self, apply: Apply) -> None:
        """The C function that frees takes two numbers, or is a tensor operator that works in
        place."""
        if (donor := reused(apply)) is not None:
            if apply.frees != (donor,):
                self.fail(f"only operand {donor} can be reused, not {apply.frees}")
            return
        if not may_free(apply) or len(apply.arguments) != 2 or set(apply.frees) - {0, 1}:
            self.fail(f"{apply.primitive.name} has no C function that frees {apply.frees}")
        for index in apply.frees:
            self.require(
                apply.arguments[index], frozenset({Representation.VALUE, Representation.NUMBER})
            )


def _declared(primitive: Primitive, variant: Variant | None, count: int) -> Expected:
    """The operands and the result of a primitive or its variant, for that many arguments."""
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
