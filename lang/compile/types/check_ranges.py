"""The verifier of ranges: no operation on int64_t leaves the range of a fixnum.

Parameters, loop variables, slots and results say how large their integers can be, or that no value
ever reaches them.  Each walk takes that for granted and proves it of all that flows there, so all
of it holds by induction.

    fn f(i: fixnum 0...99) -> fixnum 1...99
      t2: fixnum = +(i, t1)         t1 is 1, so t2 is 1...100: it fits a fixnum, but not the result
      yield t2                      RangeError: f: the result is 1...100, not 1...99, at: yield t2

An operation of the machine is refused unless its operands prove that it needs no check.
"""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    DirectCall,
    DirectTailCall,
    Dup,
    Function,
    GlobalGet,
    GlobalSet,
    If,
    IndirectTailCall,
    Literal,
    Loop,
    LoopVariable,
    NewSlot,
    Operation,
    Raise,
    Representation,
    SlotGet,
    SlotSet,
)
from lambent.lang.compile.ir.blocks import Target
from lambent.lang.compile.ir.forward import Forward
from lambent.lang.compile.ir.known import Known
from lambent.lang.compile.ir.operands import operands
from lambent.lang.compile.ir.proved import unproved
from lambent.lang.compile.ir.text import place_text
from lambent.lang.core.ir import Namespace
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.ranges import (
    FIXNUMS,
    NATURAL,
    NEVER,
    SIZES,
    Range,
    counted,
    literal_range,
    machine_range,
    may_be,
    narrowed,
)
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Number
from lambent.lang.system.dataclass import dataclass, field

_FIXNUM = Representation.FIXNUM


class RangeError(Exception):
    """An integer that may be larger than its declaration says: a bug of the compiler."""


def check_ranges(program: Anf, proved: Anf | None = None) -> None:
    """Raise RangeError unless all integers of the program stay in their ranges.

    proved: the program before the last pass, if that has been proved.
    """
    functions = program.by_name
    variables = {(v.name, v.namespace): v.range for v in program.globals}
    for function in unproved(program, proved):
        _Checker(function, functions, variables).check()


@dataclass(slots=True)
class _Checker(Forward[str, Range]):
    """One walk through one function.  What is known of a name is the range of its integers.

    tests: what the machine has compared, by the name of the result.  slots: their ranges.
    """

    function: Function
    functions: Mapping[str, Function]
    variables: Mapping[tuple[str, Namespace], Range]
    tests: dict[str, tuple[Machine, tuple[str, ...]]] = field(default_factory=dict)
    slots: dict[str, Range] = field(default_factory=dict)

    def check(self) -> None:
        self.begin(Known(Range.join))
        for parameter in self.function.parameters:
            self.known.learn(parameter.name, parameter.range)
        self.block(self.function.body)

    def fail(self, message: str) -> NoReturn:
        raise RangeError(f"{self.function.name}: {message}, at: {place_text(self.where)}")

    def require(self, found: Range, declared: Range, what: str) -> None:
        if not found.within(declared):
            self.fail(f"{what} is {found}, not {declared}")

    def range(self, name: str) -> Range:
        return self.known.facts.get(name, FIXNUMS)

    def know(self, name: str, found: Range) -> None:
        if found != self.range(name):
            self.known.learn(name, found)

    # Blocks.

    def flow(self, names: Sequence[str], targets: Sequence[Target]) -> None:
        ranges = [self.range(name) for name in names]
        for name, found, target in zip(names, ranges, targets, strict=True):
            match target:
                case LoopVariable(variable, range=declared):
                    self.require(found, declared, name)
                    if variable not in self.known.facts:
                        self.know(variable, declared)
                case If(receiver) | Loop(receiver):
                    self.know(receiver, found)
                case None:
                    self.require(found, self.function.result_range, "the result")

    def leave(self, end: DirectTailCall | IndirectTailCall | Raise) -> None:
        match end:
            case DirectTailCall(callee, arguments):
                self.call(callee, arguments)
                if not any(self.range(name).is_empty for name in arguments):
                    found = self.functions[callee].result_range
                    self.require(found, self.function.result_range, f"the result of {callee}")

    def test(self, name: str, holds: bool) -> None:
        if name in self.tests:
            code, names = self.tests[name]
            ranges = [self.range(operand) for operand in names]
            if any(range_.is_empty for range_ in ranges) or not may_be(code, ranges, holds):
                after = [NEVER] * len(names)  # nothing gets here
            else:
                after = list(narrowed(code, ranges, holds))
            for operand, found in zip(names, after, strict=True):
                self.know(operand, found)

    # Operations.

    def bind(self, bind: Bind) -> None:
        name, operation = bind.name, bind.operation
        found = self.operation(operation, bind.representation)
        reaches = not any(self.range(operand).is_empty for operand in operands(operation))
        self.know(name, found if reaches else NEVER)
        match operation:
            case NewSlot():
                self.slots[name] = found
            case Apply(variant=variant, arguments=arguments) if variant is not None:
                if isinstance(variant.code, Machine):
                    self.tests[name] = variant.code, arguments
                if variant.index is not None:
                    index = arguments[variant.index]
                    found = self.range(index)
                    is_possible = found.low <= SIZES.high and found.high >= 0
                    self.know(index, found.meet(SIZES) if is_possible else NEVER)

    def operation(self, operation: Operation, bound: Representation) -> Range:
        """Check the operands; the range of the result, if it is an integer."""
        match operation:
            case Literal(Number(int() as number)) if bound is _FIXNUM:
                return literal_range(number)
            case Apply():
                return self.apply(operation)
            case DirectCall(callee, arguments, caught):
                self.call(callee, arguments)
                return FIXNUMS if caught else self.functions[callee].result_range
            case NewSlot(operand, declared):
                self.require(self.range(operand), declared, operand)
                return declared
            case SlotSet(slot, value):
                self.require(self.range(value), self.slots[slot], value)
            case SlotGet(operand) | Dup(operand):
                return self.range(operand)
            case GlobalGet(name, namespace):
                return self.variables.get((name, namespace), FIXNUMS)
            case GlobalSet(name, namespace, value):
                declared = self.variables.get((name, namespace), FIXNUMS)
                self.require(self.range(value), declared, value)
        return FIXNUMS

    def call(self, callee: str, arguments: tuple[str, ...]) -> None:
        parameters = self.functions[callee].parameters
        for parameter, name in zip(parameters, arguments, strict=True):
            self.require(self.range(name), parameter.range, name)

    def apply(self, apply: Apply) -> Range:
        variant = apply.variant
        if variant is None or variant.signature.result is apply.primitive.signature.result:
            return apply.primitive.range
        if variant.signature.result is not Declared.FIXNUM or variant.machine is None:
            return FIXNUMS
        ranges = [self.range(name) for name in apply.arguments]
        if any(range_.is_empty for range_ in ranges):
            return NEVER
        if not isinstance(variant.code, Machine):
            return machine_range(variant.machine, ranges) or FIXNUMS
        self.means(apply.primitive, variant.code, ranges)
        counter = counted(variant.code, ranges)
        found = machine_range(variant.code, ranges) if counter is None else counter
        if found is None:
            texts = ", ".join(map(str, ranges))
            self.fail(f"{variant.code.value} of {texts} may not fit a fixnum")
        return found

    def means(self, primitive: Primitive, code: Machine, operands: list[Range]) -> None:
        """The operation computes what the primitive does, with any operands or with these."""
        codes = {variant.code for variant in primitive.variants}
        if code in codes:
            return
        natural = {NATURAL.get(known) for known in codes if isinstance(known, Machine)}
        if code not in natural or any(operand.low < 0 for operand in operands):
            self.fail(f"{primitive.name} is not {code.value}")
