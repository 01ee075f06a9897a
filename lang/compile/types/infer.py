"""Inference: the abstract type of each name of the whole program.

Names that are certainly fixnums, doubles, booleans or tensors need no tag in C.  The analysis is
optimistic: every name begins as NOTHING.  Rounds over the functions join the abstract types that
flow to it (the arguments of all calls to a parameter, both branches to a result, every iteration to
a loop's variable) until nothing changes.  `convert` then rewrites the program by these facts.

    (define (area r) (* 3.14 (* r r)))   (area 2.0)
    =>  r, both products and the result are doubles

A function that escapes may be called from anywhere, so its parameters and result stay values.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence, Set
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
    Dup,
    Fail,
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
    Recur,
    Refine,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Truth,
)
from lambent.lang.compile.ir.blocks import Target, binds_in, ends_in
from lambent.lang.compile.ir.forward import Forward
from lambent.lang.compile.ir.known import Known
from lambent.lang.compile.types.abstract_types import (
    INTEGERS,
    REFINED,
    AbstractType,
    Argument,
    literal_type,
)
from lambent.lang.compile.types.callers import callers_of, with_callers
from lambent.lang.compile.types.choose_primitive import Choice, choose
from lambent.lang.compile.types.doubles_facts import (
    ends_doubles,
    learned,
    operation_ends_doubles,
)
from lambent.lang.compile.types.record_fields import RecordFields, find_record_fields
from lambent.lang.compile.types.unboxing import RESULT, FlowNode, Flows, find_flows, number_variant
from lambent.lang.core.ir import Namespace
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.ranges import (
    COUNTED,
    FIXNUM_MAX,
    FIXNUMS,
    NEVER,
    SIZES,
    Range,
    literal_range,
    narrowed,
)
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.datum import Number
from lambent.lang.system.dataclass import dataclass, field

# The abstract type of a value, and the range of its integers if that is an integer's.
Found = tuple[AbstractType, Range]
NOTHING: Found = AbstractType.NOTHING, NEVER
# Stands for a function, of which the top-level variables are the names; no procedure has that name.
_GLOBALS = "(globals)"
_OF_GLOBALS = {
    AbstractType.NOTHING, AbstractType.COUNTER, AbstractType.FIXNUM, AbstractType.FLOAT,
    AbstractType.BOOLEAN,
}  # fmt: skip
# What a function returns that is compiled elsewhere.
_HELD = {
    Representation.VALUE: AbstractType.ANYTHING,
    Representation.FIXNUM: AbstractType.FIXNUM,
    Representation.FLOAT: AbstractType.FLOAT,
    Representation.BOOLEAN: AbstractType.BOOLEAN,
    Representation.TENSOR: AbstractType.TENSOR,
}
# A range grows to one of these bounds when it has grown a few times; that of a counter soon.
_EXACT_GROWTHS = 3
_BOUNDS = (0, 2**16, 2**32, 2**48, FIXNUM_MAX)


# What is known of a name at one place besides its abstract type: the range of an integer, if it is
# smaller there; the least length of a vector that holds doubles.
Fact = Range | int


def _both(one: Fact, other: Fact) -> Fact | None:
    if isinstance(one, Range) and isinstance(other, Range):
        return one.join(other)
    return min(one, other) if isinstance(one, int) and isinstance(other, int) else None


@dataclass(slots=True)
class Facts:
    """The abstract types of parameters and results by function, and of every name of a function.

    ranges: of the names, and of RESULT, that are integers.  operands: for each operation on
    integers, by the name of its result, the ranges of its operands there.  growths: how often a
    range has grown.  doubles: by function and name of the result, the lengths of the vectors of
    doubles that operations read or write.  integers: the names that
    are results of arithmetic with exact integers, of any size.  globals: the abstract types of the
    top-level variables that have a value before any use.  exports: the functions of a unit that
    others may call.  readers: the functions that read each variable.
    """

    functions: dict[str, Function]
    parameters: dict[str, list[AbstractType]]
    results: dict[str, AbstractType]
    names: dict[str, dict[str, AbstractType]]
    literals: dict[str, dict[str, Literal]]
    flows: Flows
    fields: RecordFields
    doubles: dict[tuple[str, str], int] = field(default_factory=dict)
    unboxing_demand: set[FlowNode] = field(default_factory=set)
    ranges: dict[str, dict[str, Range]] = field(default_factory=dict)
    operands: dict[str, dict[str, tuple[Range, ...]]] = field(default_factory=dict)
    growths: Counter[FlowNode] = field(default_factory=Counter)
    integers: dict[str, set[str]] = field(default_factory=dict)
    globals: dict[str, AbstractType] = field(default_factory=dict)
    exports: Set[str] = frozenset()
    readers: dict[str, dict[str, None]] = field(default_factory=dict)

    def of_global(self, name: str, namespace: Namespace) -> Found:
        """What is known of the values of a top-level variable."""
        abstract_type = self.globals.get(name) if namespace is Namespace.PROGRAM else None
        if abstract_type not in _OF_GLOBALS:
            return AbstractType.ANYTHING, FIXNUMS
        return abstract_type, self.range(_GLOBALS, name, abstract_type)

    def is_integer(self, function: str, name: str, abstract_type: AbstractType) -> bool:
        """Whether a name of that abstract type is certainly an exact integer."""
        return abstract_type in INTEGERS or name in self.integers[function]

    def range(self, function: str, name: str, abstract_type: AbstractType) -> Range:
        """The range of a name of that abstract type, as far as it is known."""
        found = self.ranges[function].get(name)
        if found is not None and abstract_type in INTEGERS:
            return found
        if abstract_type is AbstractType.NOTHING:
            return NEVER
        return COUNTED if abstract_type is AbstractType.COUNTER else FIXNUMS

    def grow(self, function: str, name: str, found: Found, *, at_join: bool = False) -> bool:
        """Add a range to that of a name; whether this has changed it.

        at_join: what flows there may depend on the name, so its range grows in large steps.
        """
        abstract_type, new = found
        if abstract_type not in INTEGERS:
            return False
        before = self.ranges[function].get(name)
        after = new if before is None else before.join(new)
        if after == before:
            return False
        if at_join and before is not None:
            self.growths[function, name] += 1 if not after.is_counter else _EXACT_GROWTHS
            if self.growths[function, name] > _EXACT_GROWTHS:
                after = _widened(before, after)
        self.ranges[function][name] = after
        return True

    def find_unboxing_demand(self) -> list[str]:
        """Find the unboxing demand again for the present abstract types; the functions in which it
        has changed."""
        before, self.unboxing_demand = (
            self.unboxing_demand,
            self.flows.unboxing_demand(self.must_be_value),
        )
        touched = {function for function, _ in before ^ self.unboxing_demand}
        return [name for name in self.functions if name in touched]

    def must_be_value(self, node: FlowNode) -> bool:
        function, name = node
        abstract_type = self.results[function] if name == RESULT else self.names[function].get(name)
        return abstract_type in (AbstractType.ANYTHING, AbstractType.TENSOR, AbstractType.BOOLEAN)

    def has_unboxing_demand(self, function: str, name: str, primitive: Primitive) -> bool:
        """Whether the result of a primitive should have no box."""
        node = function, name
        if node in self.unboxing_demand:
            return True
        # A value that is only moved from one container to another keeps its box.
        variant = number_variant(primitive)
        moves = variant is not None and not any(
            p.type is Declared.NUMBER for p in variant.signature.params
        )
        return node in self.flows.stored and not moves


def _widened(before: Range, after: Range) -> Range:
    """A range up to the next bounds where it has grown."""
    bounds = (0, COUNTED.high) if after.is_counter else _BOUNDS
    low, high = after.low, after.high
    if low < before.low:
        low = -min([bound for bound in bounds if bound >= -low], default=-FIXNUMS.low)
    if high > before.high:
        high = min([bound for bound in bounds if bound >= high], default=FIXNUMS.high)
    return Range(low, high, after.is_counter)


# The latest program, and its facts: several passes ask, of which most change nothing.
_LATEST: list[tuple[Anf, Facts]] = []


def infer(program: Anf) -> Facts:
    """The abstract types of all names of a program."""
    if not _LATEST or _LATEST[0][0] is not program:
        _LATEST[:] = [(program, _infer(program))]
    return _LATEST[0][1]


def _infer(program: Anf) -> Facts:
    functions = program.by_name
    tails = may_tail(functions)
    literals = {name: _literals(f) for name, f in functions.items()}
    facts = Facts(
        functions,
        {name: [_of_parameter(f)] * len(f.parameters) for name, f in functions.items()},
        {name: _of_result(f, tails, program.exports) for name, f in functions.items()},
        {name: {} for name in functions},
        literals,
        find_flows(functions),
        find_record_fields(functions, literals),
        ranges={name: {} for name in (*functions, _GLOBALS)},
        operands={name: {} for name in functions},
        integers={name: set() for name in functions},
        globals=dict.fromkeys(_defined_before_use(program), AbstractType.NOTHING),
        exports=program.exports,
    )
    callers = callers_of(functions)
    for function in functions.values():
        if function.fixnums is not None:
            callers.setdefault(function.fixnums.name, []).extend(callers.get(function.name, ()))
    facts.find_unboxing_demand()
    unsettled = list(functions)
    while unsettled:
        _settle(facts, callers, unsettled)
        unsettled = facts.find_unboxing_demand() or facts.fields.fill_empty()
    return facts


def _settle(facts: Facts, callers: Mapping[str, Sequence[str]], unsettled: Sequence[str]) -> None:
    """Walk through functions until nothing changes.

    A function is walked through again when its inputs have changed, not whenever something
    in the program has: a chain of calls may be as long as the program.
    """
    waiting, is_waiting = deque(unsettled), set(unsettled)
    while waiting:
        name = waiting.popleft()
        is_waiting.remove(name)
        one = _Round(facts, facts.functions[name])
        one.run()
        again = [c for other in one.changed_results for c in callers.get(other, ())]
        for other in (*one.changed, *again):
            if other not in is_waiting:
                is_waiting.add(other)
                waiting.append(other)


def _defined_before_use(program: Anf) -> set[str]:
    """The variables of the program that certainly have a value at each use."""
    found = {v.name for v in program.globals if v.namespace is Namespace.PROGRAM}
    functions = program.own_functions if found else ()
    for function in functions:
        for bind in binds_in(function.body):
            match bind.operation:
                case (
                    GlobalGet(name, Namespace.PROGRAM, _, True)
                    | GlobalSet(name, Namespace.PROGRAM, _, True)
                ):
                    found.discard(name)
    return found


def _of_parameter(function: Function) -> AbstractType:
    return AbstractType.ANYTHING if function.escapes else AbstractType.NOTHING


def _of_result(function: Function, tails: Set[str], exports: Set[str]) -> AbstractType:
    """The results of main, of functions that escape, and of the trampoline are values; those of
    exported functions only if they go through the trampoline.  Interfaces say what others return.
    """
    if function.interface is not None:
        return _HELD[function.result]
    escapes = function.escapes and function.name not in exports
    boxed = escapes or function.name == "main" or function.name in tails
    return AbstractType.ANYTHING if boxed else AbstractType.NOTHING


def may_tail(functions: Mapping[str, Function]) -> set[str]:
    """The functions that may return the trampoline's marker."""
    callers: dict[str, list[str]] = {}
    found: list[str] = []
    for name, function in functions.items():
        if function.interface is not None:
            if function.may_tail:
                found.append(name)
            continue
        for end in ends_in(function.body):
            match end:
                case IndirectTailCall():
                    found.append(name)
                case DirectTailCall(callee):
                    callers.setdefault(callee, []).append(name)
    return with_callers(found, callers)


def _literals(function: Function) -> dict[str, Literal]:
    return {
        bind.name: bind.operation
        for bind in binds_in(function.body)
        if isinstance(bind.operation, Literal)
    }


@dataclass(frozen=True, slots=True)
class Test:
    """A boolean that an operation of the machine has computed."""

    code: Machine
    operands: tuple[str, ...]


@dataclass(slots=True)
class _Round(Forward[str, Fact]):
    """One walk through one function, which joins the abstract types that flow to each name.

    changed: the functions to walk through again, for which something has changed that they have
    read before, or will read.  changed_results: those whose result has changed.  has_tail_call:
    of a function of the program, so far.  tensors: the names that operations before have shown to
    be tensors, in this block or around it, where `convert` has a name for the tensor.  vectors:
    those that tests have found to hold doubles, here or elsewhere.
    """

    facts: Facts
    function: Function
    names: dict[str, AbstractType] = field(init=False)
    literals: dict[str, Literal] = field(init=False)
    changed: dict[str, None] = field(default_factory=dict)
    changed_results: dict[str, None] = field(default_factory=dict)
    has_tail_call: bool = False
    tests: dict[str, Test | HaveTypes] = field(default_factory=dict)
    tensors: Known[str, bool] = field(default_factory=Known)
    vectors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.names = self.facts.names[self.function.name]
        self.literals = self.facts.literals[self.function.name]
        self.begin(Known(_both))

    def run(self) -> None:
        abstract_types = self.facts.parameters[self.function.name]
        for parameter, abstract_type in zip(self.function.parameters, abstract_types, strict=True):
            self.names[parameter.name] = abstract_type
        self.block(self.function.body)

    def join(self, name: str, found: Found, *, at_join: bool = False) -> bool:
        """A value of an abstract type may flow to the name; whether this is new."""
        abstract_type, _ = found
        before = self.names.get(name)
        self.names[name] = abstract_type if before is None else before.join(abstract_type)
        grown = self.facts.grow(self.function.name, name, found, at_join=at_join)
        return grown or self.names[name] is not before

    def flow_back(self, name: str, found: Found) -> None:
        """The same for a name that has been read before: a loop's variable, or a slot."""
        if self.join(name, found, at_join=True):
            self.changed.setdefault(self.function.name)

    def to_result(self, function: str, found: Found) -> None:
        before = self.facts.results[function]
        after = before.join(found[0])
        if after is AbstractType.NUMBER and function in self.facts.exports:
            after = AbstractType.ANYTHING  # which closures can return
        grown = not self.is_library(function) and self.facts.grow(
            function, RESULT, found, at_join=True
        )
        if after is not before or grown:
            self.facts.results[function] = after
            self.changed_results.setdefault(function)
            if function != self.function.name or self.has_tail_call:
                self.changed.setdefault(function)

    def is_library(self, function: str) -> bool:
        """Whether it belongs to the library: callers that are not known may pass any integer."""
        return self.facts.functions[function].owner.is_library

    def result(self, function: str) -> Found:
        abstract_type = self.facts.results[function]
        return abstract_type, self.facts.range(function, RESULT, abstract_type)

    def abstract_type(self, name: str) -> AbstractType:
        abstract_type = self.names.get(name, AbstractType.NOTHING)
        if name in self.tensors.facts and abstract_type is not AbstractType.NOTHING:
            return AbstractType.TENSOR
        return abstract_type

    def found(self, name: str) -> Found:
        abstract_type = self.abstract_type(name)
        found = self.facts.range(self.function.name, name, abstract_type)
        if abstract_type in INTEGERS and isinstance(here := self.known.facts.get(name), Range):
            found = found.meet(here)
        return abstract_type, found

    def argument(self, name: str) -> Argument:
        literal = self.literals.get(name)
        abstract_type, found = self.found(name)
        is_integer = self.facts.is_integer(self.function.name, name, abstract_type)
        return Argument(abstract_type, literal.value if literal else None, name, found, is_integer)

    # Tests.

    def test(self, name: str, holds: bool) -> None:
        match self.tests.get(name):
            case Test(code, names):
                found = [self.found(operand) for operand in names]
                if all(abstract_type in INTEGERS for abstract_type, _ in found):
                    before = [range_ for _, range_ in found]
                    after = narrowed(code, before, holds)
                    for operand, old, smaller in zip(names, before, after, strict=True):
                        if smaller != old:
                            self.known.learn(operand, smaller)
            case HaveTypes() as test if holds:
                for operand, length in learned(self.known.facts, test).items():
                    self.known.learn(operand, length)
                    self.vectors.add(operand)

    def learn_test(self, name: str, operation: Operation, choice: Choice | None) -> None:
        """Remember what a test compares."""
        match operation:
            case Apply(_, operands) if choice is not None and choice.variant is not None:
                if isinstance(code := choice.variant.code, Machine):
                    self.tests[name] = Test(code, operands)
            case Truth(operand) if operand in self.tests:
                self.tests[name] = self.tests[operand]
            case HaveTypes():
                self.tests[name] = operation

    # Blocks.

    def block(self, block: Block, target: Target = None) -> None:
        mark = self.tensors.mark()
        Forward.block(self, block, target)
        self.tensors.leave(mark)

    def flow(self, names: Sequence[str], targets: Sequence[Target]) -> None:
        for found, target in zip(list(map(self.found, names)), targets, strict=True):
            match target:
                case LoopVariable(name) if isinstance(self.where, Recur):
                    self.flow_back(name, found)
                case LoopVariable(name):
                    self.join(name, found, at_join=True)
                case If(representation=Representation.VOID):
                    pass
                case If(name) | Loop(name):
                    self.join(name, found)
                case None:
                    self.to_result(self.function.name, found)

    def bound(self, statement: If | Loop) -> None:
        if isinstance(statement, Loop) or statement.representation is not Representation.VOID:
            self.names.setdefault(statement.name, AbstractType.NOTHING)

    def leave(self, end: DirectTailCall | IndirectTailCall | Raise) -> None:
        if isinstance(end, DirectTailCall):
            self.has_tail_call = True
            callee = self.version(end.function, end.arguments)
            self.call(callee, end.arguments)
            # The result is returned as it is: both functions must agree on its representation.
            self.to_result(callee, self.result(self.function.name))
            self.to_result(self.function.name, self.result(callee))

    # Operations.

    def bind(self, bind: Bind) -> None:
        name, operation = bind.name, bind.operation
        if isinstance(operation, Apply):
            operands = [self.argument(operand) for operand in operation.arguments]
            primitive = operation.primitive
            demanded = self.facts.has_unboxing_demand(self.function.name, name, primitive)
            field_type = self.record(operation, operands)
            length = self.length_read(name, operation)
            choice = choose(primitive, operands, demanded, field_type, length)
            is_reached = not any(o.abstract_type is AbstractType.NOTHING for o in operands)
            if self.vectors and is_reached and ends_doubles((choice.variant or primitive).effects):
                self.forget_doubles()
            self.facts.operands[self.function.name][name] = tuple([o.range for o in operands])
            self.join(name, (choice.abstract_type, choice.range))
            self.note_integer(name, primitive, operands)
            self.learn_test(name, operation, choice)
            for operand, found in _indices(choice, operands).items():
                self.known.learn(operand, found)
        else:
            self.learn_test(name, operation, None)
            if self.vectors and operation_ends_doubles(operation):
                self.forget_doubles()
            self.join(name, self.operation(operation))
        for operand in proved(operation, self.names):
            self.tensors.learn(operand, True)

    def length_read(self, name: str, apply: Apply) -> int | None:
        """The length of the vector of doubles that an operation reads or writes, which binds name;
        None if nothing is known of it."""
        length = self.known.facts.get(apply.arguments[0]) if apply.arguments else None
        key = self.function.name, name
        self.facts.doubles.pop(key, None)
        if isinstance(length, int) and any(v.of_doubles for v in apply.primitive.variants):
            self.facts.doubles[key] = length
            return length
        return None

    def forget_doubles(self) -> None:
        for name in sorted(self.vectors & self.known.facts.keys()):
            self.known.put(name, None)

    def note_integer(self, name: str, primitive: Primitive, operands: Sequence[Argument]) -> None:
        integers = self.facts.integers[self.function.name]
        if primitive.keeps_integers and all(operand.is_integer for operand in operands):
            integers.add(name)
        else:
            integers.discard(name)

    def operation(self, operation: Operation) -> Found:
        match operation:
            case Literal(Number(int() as number)) if number in FIXNUMS:
                return literal_type(operation.value), literal_range(number)
            case DirectCall(callee, arguments, caught):
                callee = self.version(callee, arguments)
                self.call(callee, arguments)
                return (AbstractType.ANYTHING, FIXNUMS) if caught else self.result(callee)
            case NewSlot(operand):
                return self.found(operand)
            case SlotGet(slot):
                return self.found(slot)
            case SlotSet(slot, value):
                self.flow_back(slot, self.found(value))
                return NOTHING
            case GlobalGet(name, namespace):
                self.facts.readers.setdefault(name, {}).setdefault(self.function.name)
                return self.facts.of_global(name, namespace)
            case GlobalSet(name, namespace, value):
                if namespace is Namespace.PROGRAM and name in self.facts.globals:
                    self.to_global(name, self.found(value))
                return NOTHING
        return self.plain_type(operation), FIXNUMS

    def plain_type(self, operation: Operation) -> AbstractType:
        """The abstract type of an operation about whose ranges nothing is known."""
        match operation:
            case Literal(value):
                return literal_type(value)
            case MakeTensor():
                return AbstractType.TENSOR
            case Truth() | IsAbsent() | HaveTypes():
                return AbstractType.BOOLEAN
            case Refine(operand, type_):
                is_bound = self.abstract_type(operand) is not AbstractType.NOTHING
                return REFINED[type_] if is_bound else AbstractType.NOTHING
            case (
                IndirectCall() | PrimitiveValue() | MakeClosure() | NewCell()
                | CellGet() | Fail()
            ):  # fmt: skip
                return AbstractType.ANYTHING
            case CellSet() | SetGradMode() | RestoreGradMode():
                return AbstractType.NOTHING
            case Convert() | Dup() | CheckStack():
                raise AssertionError(f"{operation}: inference comes first")
            case (
                Apply() | DirectCall() | NewSlot() | SlotGet() | SlotSet() | GlobalGet()
                | GlobalSet()
            ):  # fmt: skip
                raise AssertionError(f"{operation}: its range may be known")
            case _:
                assert_never(operation)

    def to_global(self, name: str, found: Found) -> None:
        before = self.facts.globals[name]
        after = self.facts.globals[name] = before.join(found[0])
        grown = self.facts.grow(_GLOBALS, name, found, at_join=True)
        if grown or after is not before:
            self.changed.update(self.facts.readers.get(name, {}))

    def record(self, apply: Apply, operands: Sequence[Argument]) -> AbstractType | None:
        """Note what an operation stores in a record; the type of the field that it reads."""
        name, fields = self.function.name, self.facts.fields
        for reader in fields.store(name, apply, [o.abstract_type for o in operands]):
            self.changed.setdefault(reader)
        return fields.read(name, apply)

    def version(self, callee: str, arguments: tuple[str, ...]) -> str:
        types = [self.abstract_type(name) for name in arguments]
        return version_for(self.facts.functions[callee], types)

    def call(self, callee: str, arguments: tuple[str, ...]) -> None:
        abstract_types = self.facts.parameters[callee]
        parameters = self.facts.functions[callee].parameters
        for i, name in enumerate(arguments):
            found = self.found(name)
            after = abstract_types[i].join(found[0])
            grown = not self.is_library(callee) and self.facts.grow(
                callee, parameters[i].name, found, at_join=True
            )
            if after is not abstract_types[i] or grown:
                abstract_types[i] = after
                self.changed.setdefault(callee)


def version_for(function: Function, types: Sequence[AbstractType]) -> str:
    """The name of the function to call for arguments of these abstract types."""
    version = function.fixnums
    if version is None or any(types[index] not in INTEGERS for index in version.tested):
        return function.name
    return version.name


def _indices(choice: Choice, operands: Sequence[Argument]) -> dict[str, Range]:
    """The operands that are sizes or less if the operation has succeeded."""
    if choice.variant is None or choice.variant.index is None:
        return {}
    operand = operands[choice.variant.index]
    return {} if operand.range.within(SIZES) else {operand.name: operand.range.meet(SIZES)}


def proved(operation: Operation, names: dict[str, AbstractType]) -> frozenset[str]:
    """The operands that must be tensors if the operation has succeeded."""
    if not isinstance(operation, Apply):
        return _NO_NAMES
    taken = zip(operation.primitive.signature.params, operation.arguments, strict=False)
    tensors = [name for parameter, name in taken if parameter.type is Declared.TENSOR]
    return frozenset([n for n in tensors if names.get(n) is AbstractType.ANYTHING])


_NO_NAMES = frozenset[str]()
