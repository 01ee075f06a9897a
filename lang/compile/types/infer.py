"""Inference: the abstract type of each name of the whole program.

Names that are certainly fixnums, doubles, booleans or tensors need no tag in C.  The analysis is
optimistic: every name begins as NOTHING.  Rounds over the functions join the abstract types that
flow to it (the arguments of all calls to a parameter, both branches to a result, every iteration to
a loop's variable) until nothing changes.  `convert` then rewrites the program by these facts.

    (define (area r) (* 3.14 (* r r)))   (area 2.0)
    =>  r, both products and the result are doubles

A function that escapes may be called from anywhere, so its parameters and result stay values.
"""

from collections import deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import assert_never

from lambent.lang.compile.ir.anf import (
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
    HaveTypes,
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
    Refine,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Statement,
    Truth,
    Yield,
)
from lambent.lang.compile.ir.operands import all_blocks, may_yield
from lambent.lang.compile.types.abstract_types import REFINED, AbstractType, Argument, literal_type
from lambent.lang.compile.types.callers import callers_of, with_callers
from lambent.lang.compile.types.choose_primitive import choose
from lambent.lang.compile.types.record_fields import RecordFields, find_record_fields
from lambent.lang.compile.types.unboxing import RESULT, FlowNode, Flows, find_flows, number_variant
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive

# Names that the operations before a statement have proved to be tensors.
Proven = frozenset[str]


@dataclass(slots=True)
class Facts:
    """The abstract types of parameters and results by function, and of every name of a function."""

    functions: dict[str, Function]
    parameters: dict[str, list[AbstractType]]
    results: dict[str, AbstractType]
    names: dict[str, dict[str, AbstractType]]
    literals: dict[str, dict[str, Literal]]
    flows: Flows
    fields: RecordFields
    unboxing_demand: set[FlowNode] = field(default_factory=set)

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


def infer(program: Anf) -> Facts:
    """The abstract types of all names of a program."""
    functions = {function.name: function for function in (*program.functions, program.main)}
    tails = may_tail(functions)
    literals = {name: _literals(f) for name, f in functions.items()}
    facts = Facts(
        functions,
        {name: [_of_parameter(f)] * len(f.parameters) for name, f in functions.items()},
        {name: _of_result(f, tails) for name, f in functions.items()},
        {name: {} for name in functions},
        literals,
        find_flows(functions),
        find_record_fields(functions, literals),
    )
    callers = callers_of(functions)
    facts.find_unboxing_demand()
    unsettled = list(functions)
    while unsettled:
        _settle(facts, callers, unsettled)
        unsettled = facts.find_unboxing_demand()
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


def _of_parameter(function: Function) -> AbstractType:
    return AbstractType.ANYTHING if function.escapes else AbstractType.NOTHING


def _of_result(function: Function, tails: Set[str]) -> AbstractType:
    """The results of main, of functions that escape, and of the trampoline are values."""
    boxed = function.escapes or function.name == "main" or function.name in tails
    return AbstractType.ANYTHING if boxed else AbstractType.NOTHING


def may_tail(functions: Mapping[str, Function]) -> set[str]:
    """The functions that may return the trampoline's marker."""
    callers: dict[str, list[str]] = {}
    found: list[str] = []
    for name, function in functions.items():
        for block in all_blocks(function.body):
            match block.end:
                case IndirectTailCall():
                    found.append(name)
                case DirectTailCall(callee):
                    callers.setdefault(callee, []).append(name)
    return with_callers(found, callers)


def _literals(function: Function) -> dict[str, Literal]:
    return {
        statement.name: statement.operation
        for block in all_blocks(function.body)
        for statement in block.statements
        if isinstance(statement, Bind) and isinstance(statement.operation, Literal)
    }


@dataclass(slots=True)
class _Round:
    """One walk through one function, which joins the abstract types that flow to each name.

    changed: the functions to walk through again, for which something has changed that they have
    read before, or will read.  changed_results: those whose result has changed.  has_tail_call:
    of a function of the program, so far.
    """

    facts: Facts
    function: Function
    names: dict[str, AbstractType] = field(init=False)
    literals: dict[str, Literal] = field(init=False)
    changed: dict[str, None] = field(default_factory=dict)
    changed_results: dict[str, None] = field(default_factory=dict)
    has_tail_call: bool = False
    loops: dict[str, Loop] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = self.facts.names[self.function.name]
        self.literals = self.facts.literals[self.function.name]

    def run(self) -> None:
        abstract_types = self.facts.parameters[self.function.name]
        for parameter, abstract_type in zip(self.function.parameters, abstract_types, strict=True):
            self.flow(parameter.name, abstract_type)
        self.to_result(self.function.name, self.block(self.function.body, frozenset()))

    def flow(self, name: str, abstract_type: AbstractType) -> None:
        """A value of an abstract type may flow to the name."""
        before = self.names.get(name)
        self.names[name] = abstract_type if before is None else before.join(abstract_type)

    def flow_back(self, name: str, abstract_type: AbstractType) -> None:
        """The same for a name that has been read before: a loop's variable, or a slot."""
        before = self.names.get(name)
        self.flow(name, abstract_type)
        if self.names[name] is not before:
            self.changed.setdefault(self.function.name)

    def to_result(self, function: str, abstract_type: AbstractType) -> None:
        before = self.facts.results[function]
        after = before.join(abstract_type)
        if after is not before:
            self.facts.results[function] = after
            self.changed_results.setdefault(function)
            if function != self.function.name or self.has_tail_call:
                self.changed.setdefault(function)

    def abstract_type(self, name: str, proven: Proven) -> AbstractType:
        abstract_type = self.names.get(name, AbstractType.NOTHING)
        if name in proven and abstract_type is not AbstractType.NOTHING:
            return AbstractType.TENSOR
        return abstract_type

    def argument(self, name: str, proven: Proven) -> Argument:
        literal = self.literals.get(name)
        return Argument(self.abstract_type(name, proven), literal.value if literal else None, name)

    # Blocks.

    def block(self, block: Block, proven: Proven) -> AbstractType:
        """The abstract type of the value that the block yields."""
        for statement in block.statements:
            proven = self.statement(statement, proven)
        match block.end:
            case Yield(name):
                return (
                    self.abstract_type(name, proven) if may_yield(block) else AbstractType.NOTHING
                )
            case Recur(label, arguments):
                for variable, name in zip(self.loops[label].variables, arguments, strict=True):
                    self.flow_back(variable.name, self.abstract_type(name, proven))
            case DirectTailCall(callee, arguments):
                self.has_tail_call = True
                self.call(callee, arguments, proven)
                # The result is returned as it is: both functions must agree on its representation.
                self.to_result(callee, self.facts.results[self.function.name])
                self.to_result(self.function.name, self.facts.results[callee])
            case IndirectTailCall() | Raise():
                pass
            case _:
                assert_never(block.end)
        return AbstractType.NOTHING

    def statement(self, statement: Statement, proven: Proven) -> Proven:
        match statement:
            case Bind(name, _, operation):
                self.flow(name, self.operation(name, operation, proven))
                found = proved(operation, self.names)
                return proven | found if found - proven else proven
            case If(name, representation, _, then, orelse):
                abstract_types = [self.block(then, proven), self.block(orelse, proven)]
                if representation is not Representation.VOID:
                    self.flow(name, abstract_types[0].join(abstract_types[1]))
            case Loop(name, _, label, variables, body):
                self.loops[label] = statement
                for variable in variables:
                    self.flow(variable.name, self.abstract_type(variable.initial, proven))
                self.flow(name, self.block(body, proven))
            case Free(name):
                raise AssertionError(f"{name}: inference comes before ownership")
            case _:
                assert_never(statement)
        return proven

    # Operations.

    def operation(self, bound: str, operation: Operation, proven: Proven) -> AbstractType:
        match operation:
            case Literal(value):
                return literal_type(value)
            case Apply(primitive, arguments):
                operands = [self.argument(name, proven) for name in arguments]
                demanded = self.facts.has_unboxing_demand(self.function.name, bound, primitive)
                field_type = self.record(operation, operands)
                return choose(primitive, operands, demanded, field_type).abstract_type
            case DirectCall(callee, arguments, caught):
                self.call(callee, arguments, proven)
                return AbstractType.ANYTHING if caught else self.facts.results[callee]
            case MakeTensor():
                return AbstractType.TENSOR
            case Truth() | IsAbsent() | HaveTypes():
                return AbstractType.BOOLEAN
            case Refine(operand, type_):
                is_bound = self.abstract_type(operand, proven) is not AbstractType.NOTHING
                return REFINED[type_] if is_bound else AbstractType.NOTHING
            case NewSlot(operand):
                return self.abstract_type(operand, proven)
            case SlotGet(slot):
                return self.abstract_type(slot, frozenset())
            case SlotSet(slot, value):
                self.flow_back(slot, self.abstract_type(value, proven))
                return AbstractType.NOTHING
            case (
                GlobalGet() | IndirectCall() | PrimitiveValue() | MakeClosure() | NewCell()
                | CellGet() | Fail()
            ):  # fmt: skip
                return AbstractType.ANYTHING
            case GlobalSet() | CellSet() | SetGradMode() | RestoreGradMode():
                return AbstractType.NOTHING
            case Convert() | Dup():
                raise AssertionError(f"{operation}: inference comes first")
            case _:
                assert_never(operation)

    def record(self, apply: Apply, operands: Sequence[Argument]) -> AbstractType | None:
        """Note what an operation stores in a record; the type of the field that it reads."""
        name, fields = self.function.name, self.facts.fields
        for reader in fields.store(name, apply, [o.abstract_type for o in operands]):
            self.changed.setdefault(reader)
        return fields.read(name, apply)

    def call(self, callee: str, arguments: tuple[str, ...], proven: Proven) -> None:
        abstract_types = self.facts.parameters[callee]
        for i, name in enumerate(arguments):
            after = abstract_types[i].join(self.abstract_type(name, proven))
            if after is not abstract_types[i]:
                abstract_types[i] = after
                self.changed.setdefault(callee)


def proved(operation: Operation, names: dict[str, AbstractType]) -> Proven:
    """The operands that must be tensors if the operation has succeeded."""
    match operation:
        case Apply(primitive, arguments):
            taken = zip(primitive.signature.params, arguments, strict=False)
            return frozenset(
                name
                for parameter, name in taken
                if parameter.type.value == "tensor" and names.get(name) is AbstractType.ANYTHING
            )
        case _:
            return frozenset()
