"""Which names arithmetic waits for: those are worth keeping without a box.

A result whose type is not known may be kept as a NUMBER (see `kinds`).  That pays where what is
done with it is arithmetic, at once or after it has come through variables, branches, parameters
and results; a value that is stored or passed to somebody unknown needs its box anyway.

    (let ((d (- (vector-ref a 0) x))) (* d d))     d and the element are wanted
    (cons (- a b) '())                             the difference is not

`infer` asks while it finds kinds: what flows into a variable that must be a value is not wanted.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Function,
    If,
    Loop,
    NewSlot,
    Recur,
    SlotGet,
    SlotSet,
    Statement,
    Yield,
)
from lambent.lang.compile.ir.operands import all_blocks, may_yield
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive, Variant

# A name of a function; that of a function's result is RESULT.
Place = tuple[str, str]
RESULT = "(result)"


@dataclass(slots=True)
class Flows:
    """by_arithmetic, stored: the names that an operation takes as numbers, to compute with them
    or to store them.  sources: what flows to each place."""

    by_arithmetic: set[Place] = field(default_factory=set)
    stored: set[Place] = field(default_factory=set)
    sources: dict[Place, list[Place]] = field(default_factory=dict)

    def wanted(self, is_value: Callable[[Place], bool]) -> set[Place]:
        """The places that arithmetic waits for.  is_value: whether a place must hold a value."""
        found = set(self.by_arithmetic)
        waiting = list(found)
        while waiting:
            place = waiting.pop()
            if is_value(place):
                continue
            for source in self.sources.get(place, ()):
                if source not in found:
                    found.add(source)
                    waiting.append(source)
        return found


def find_flows(functions: dict[str, Function]) -> Flows:
    """Where the values of all names of a program go."""
    flows = Flows()
    for function in functions.values():
        _Walk(flows, functions, function).run()
    return flows


def number_variant(primitive: Primitive) -> Variant | None:
    """The form of a primitive that takes or gives numbers of any kind."""
    for variant in primitive.variants:
        types = {parameter.type for parameter in variant.signature.params}
        if Declared.NUMBER in types or variant.signature.result is Declared.NUMBER:
            return variant
    return None


@dataclass(slots=True)
class _Walk:
    """One walk through one function."""

    flows: Flows
    functions: dict[str, Function]
    function: Function
    loops: dict[str, Loop] = field(default_factory=dict)

    def run(self) -> None:
        for block in all_blocks(self.function.body):
            for statement in block.statements:
                self.statement(statement)
            match block.end:
                case Recur(label, arguments):
                    for variable, name in zip(self.loops[label].variables, arguments, strict=True):
                        self.flow(name, variable.name)
                case DirectTailCall(callee, arguments):
                    self.call(callee, arguments)
                    self.add((callee, RESULT), (self.function.name, RESULT))
        for name in _yielded(self.function.body):
            self.flow(name, RESULT)

    def flow(self, source: str, target: str) -> None:
        self.add((self.function.name, source), (self.function.name, target))

    def add(self, source: Place, target: Place) -> None:
        self.flows.sources.setdefault(target, []).append(source)

    def call(self, callee: str, arguments: tuple[str, ...]) -> None:
        for parameter, name in zip(self.functions[callee].parameters, arguments, strict=True):
            self.add((self.function.name, name), (callee, parameter.name))

    def statement(self, statement: Statement) -> None:
        match statement:
            case Bind(name, _, Apply(primitive, arguments)):
                self.apply(primitive, arguments)
            case Bind(name, _, DirectCall(callee, arguments)):
                self.call(callee, arguments)
                self.add((callee, RESULT), (self.function.name, name))
            case Bind(name, _, NewSlot(operand) | SlotGet(operand)):
                self.flow(operand, name)
            case Bind(_, _, SlotSet(slot, value)):
                self.flow(value, slot)
            case If(name, _, _, then, orelse):
                for source in (*_yielded(then), *_yielded(orelse)):
                    self.flow(source, name)
            case Loop(name, _, label, variables, body):
                self.loops[label] = statement
                for variable in variables:
                    self.flow(variable.initial, variable.name)
                for source in _yielded(body):
                    self.flow(source, name)

    def apply(self, primitive: Primitive, arguments: tuple[str, ...]) -> None:
        variant = number_variant(primitive)
        if variant is None:
            return
        stores = variant.signature.result is Declared.VOID
        used = self.flows.stored if stores else self.flows.by_arithmetic
        for parameter, name in zip(variant.signature.params, arguments, strict=False):
            if parameter.type is Declared.NUMBER:
                used.add((self.function.name, name))


def _yielded(block: Block) -> Iterator[str]:
    if isinstance(block.end, Yield) and may_yield(block):
        yield block.end.name
