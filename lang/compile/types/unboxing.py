"""Unboxing demand: which names arithmetic uses, so that they are worth keeping without a box.

A result whose type is not known may be kept as a NUMBER (`abstract_types.py`).  That pays if
arithmetic uses it, directly or through variables, branches, parameters and results.  A value that
is stored, or passed to an unknown procedure, needs its box anyway.

    (let ((d (- (vector-ref a 0) x))) (* d d))     demand for d and the element
    (cons (- a b) '())                             no demand for the difference
    (< (car a) (car b))                            no demand for a field that is only compared
    (= (vector-ref v i) 1)                         nor for an element, with an exact constant

`infer` asks for it in each round: there is no demand for what flows into a variable that must be a
value.
"""

from collections.abc import Callable

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    DirectCall,
    DirectTailCall,
    Function,
    Literal,
    NewSlot,
    Refine,
    SlotGet,
    SlotSet,
)
from lambent.lang.compile.ir.blocks import binds_in, ends_in, moves_in
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Container, Primitive, Variant
from lambent.lang.syntax.datum import Number
from lambent.lang.system.dataclass import dataclass, field

# A function and one of its names, or RESULT for its result.
FlowNode = tuple[str, str]
RESULT = "(result)"


@dataclass(slots=True)
class Flows:
    """by_arithmetic, compared, stored: the names that an operation takes as numbers, to compute
    with them, to compare or to store them.  as_they_are: those that are fields of pairs, or
    elements of vectors that are compared with exact constants: comparing their values costs
    nothing.  sources: what flows to each node."""

    by_arithmetic: set[FlowNode] = field(default_factory=set)
    compared: set[FlowNode] = field(default_factory=set)
    stored: set[FlowNode] = field(default_factory=set)
    as_they_are: set[FlowNode] = field(default_factory=set)
    sources: dict[FlowNode, list[FlowNode]] = field(default_factory=dict)

    def unboxing_demand(self, is_value: Callable[[FlowNode], bool]) -> set[FlowNode]:
        """The nodes that arithmetic uses.  is_value: whether a node must hold a value."""
        found = self.by_arithmetic | (self.compared - self.as_they_are)
        waiting = list(found)
        while waiting:
            node = waiting.pop()
            if is_value(node):
                continue
            for source in self.sources.get(node, ()):
                if source not in found:
                    found.add(source)
                    waiting.append(source)
        return found


def find_flows(functions: dict[str, Function]) -> Flows:
    """Where the values of all names of a program flow."""
    flows = Flows()
    for function in functions.values():
        _Walk(flows, functions, function).run()
    return flows


def number_variant(primitive: Primitive) -> Variant | None:
    """The variant of a primitive that takes or returns numbers of any type."""
    for variant in primitive.variants:
        types = {parameter.type for parameter in variant.signature.params}
        if Declared.NUMBER in types or variant.signature.result is Declared.NUMBER:
            return variant
    return None


@dataclass(slots=True)
class _Walk:
    """One walk through one function.  integers: the names of exact constants.  elements: those of
    elements of vectors."""

    flows: Flows
    functions: dict[str, Function]
    function: Function
    integers: set[str] = field(default_factory=set)
    elements: set[str] = field(default_factory=set)

    def run(self) -> None:
        for bind in binds_in(self.function.body):
            self.bind(bind)
        for name, target in moves_in(self.function.body):
            self.flow(name, RESULT if target is None else target.name)
        for end in ends_in(self.function.body):
            if isinstance(end, DirectTailCall):
                self.call(end.function, end.arguments)
                self.add((end.function, RESULT), (self.function.name, RESULT))

    def flow(self, source: str, target: str) -> None:
        self.add((self.function.name, source), (self.function.name, target))

    def add(self, source: FlowNode, target: FlowNode) -> None:
        self.flows.sources.setdefault(target, []).append(source)

    def call(self, callee: str, arguments: tuple[str, ...]) -> None:
        for parameter, name in zip(self.functions[callee].parameters, arguments, strict=True):
            self.add((self.function.name, name), (callee, parameter.name))

    def bind(self, bind: Bind) -> None:
        match bind:
            case Bind(name, _, Literal(Number(int()))):
                self.integers.add(name)
            case Bind(name, _, Apply(primitive, arguments)):
                if primitive.pair_field is not None:
                    self.flows.as_they_are.add((self.function.name, name))
                if primitive.indexes is Container.VECTOR:
                    self.elements.add(name)
                self.apply(primitive, arguments)
            case Bind(name, _, DirectCall(callee, arguments, caught)):
                self.call(callee, arguments)
                if not caught:
                    self.add((callee, RESULT), (self.function.name, name))
            case Bind(_, _, Refine(operand)):
                self.flows.by_arithmetic.add((self.function.name, operand))
            case Bind(name, _, NewSlot(operand) | SlotGet(operand)):
                self.flow(operand, name)
            case Bind(_, _, SlotSet(slot, value)):
                self.flow(value, slot)

    def apply(self, primitive: Primitive, arguments: tuple[str, ...]) -> None:
        variant = number_variant(primitive)
        if variant is None:
            return
        match variant.signature.result:
            case Declared.VOID:
                used = self.flows.stored
            case Declared.BOOLEAN:
                used = self.flows.compared
                if any(name in self.integers for name in arguments):
                    found = [(self.function.name, n) for n in arguments if n in self.elements]
                    self.flows.as_they_are.update(found)
            case _:
                used = self.flows.by_arithmetic
        for parameter, name in zip(variant.signature.params, arguments, strict=False):
            if parameter.type is Declared.NUMBER:
                used.add((self.function.name, name))
