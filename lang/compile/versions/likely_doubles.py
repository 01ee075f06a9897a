"""Likely doubles: which names of unknown type probably hold doubles, for `split_doubles`.

    (* x 0.5)          x probably does, and so does the product
    (* 0.5 (* x x))    x does, because the inner product probably does
    (f x)              x does if the parameter of f does, and the other way round
    (vector-ref v x)   x does not

A guess may be wrong: a test decides when the program runs.
"""

from collections import deque
from collections.abc import Iterator
from enum import Flag, auto

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    DirectCall,
    DirectTailCall,
    Function,
    IndirectTailCall,
    NewSlot,
    Operation,
)
from lambent.lang.compile.ir.blocks import binds_in, ends_in
from lambent.lang.compile.ir.operands import end_operands, operands
from lambent.lang.compile.types.abstract_types import AbstractType
from lambent.lang.compile.types.infer import Facts
from lambent.lang.compile.types.unboxing import RESULT, FlowNode, number_variant
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive
from lambent.lang.system.dataclass import dataclass, field


class _Hint(Flag):
    """What stands beside a name, or flows to it.  Integer constants say nothing: they also stand
    beside doubles."""

    DOUBLE = auto()
    FIXNUM = auto()


_NONE = _Hint(0)
_OF_TYPE = {
    AbstractType.FLOAT: _Hint.DOUBLE,
    AbstractType.FIXNUM: _Hint.FIXNUM,
    AbstractType.COUNTER: _Hint.FIXNUM,
}


def is_arithmetic(primitive: Primitive) -> bool:
    """Whether it computes a number from numbers, or compares them."""
    variant = number_variant(primitive)
    return (
        variant is not None
        and variant.signature.result is not Declared.VOID
        and any(parameter.type is Declared.NUMBER for parameter in variant.signature.params)
    )


def stores_number(primitive: Primitive) -> bool:
    """Whether it stores its last argument, as vector-set! does, and a double without a box."""
    variant = number_variant(primitive)
    return variant is not None and variant.signature.result is Declared.VOID


def likely_doubles(program: Anf, facts: Facts) -> set[FlowNode]:
    """The names of the program's own functions that probably hold doubles, and need no box."""
    functions = [f for f in program.own_functions if not f.owner.is_library]
    guesses = _Guesses(facts, {function.name for function in functions})
    for function in functions:
        _Reader(guesses, function).read()
    guesses.join_moves()
    guesses.settle()
    return {node for node in guesses.hints if guesses.is_likely(node)}


@dataclass(frozen=True, slots=True)
class _Group:
    """Names of one type, probably: they hold the same values, or are the operands of one operation.
    result: of that operation, if it computes a number."""

    nodes: tuple[FlowNode, ...]
    result: FlowNode | None = None


@dataclass(slots=True)
class _Guesses:
    """own: the functions that are looked at.  boxed: the names that are used as values, where
    doubles would need a box.  slots: assigned variables, which are looked at as values."""

    facts: Facts
    own: set[str]
    hints: dict[FlowNode, _Hint] = field(default_factory=dict)
    groups: list[_Group] = field(default_factory=list)
    boxed: set[FlowNode] = field(default_factory=set)
    slots: set[FlowNode] = field(default_factory=set)

    def join_moves(self) -> None:
        """Group each name with those that flow to it, in branches, loops and calls."""
        for target, sources in self.facts.flows.sources.items():
            for source in sources:
                pair = source, target
                if all(map(self.is_looked_at, pair)):
                    self.groups.append(_Group(pair))

    def is_looked_at(self, node: FlowNode) -> bool:
        return node[0] in self.own and node[1] != RESULT and node not in self.slots

    def is_likely(self, node: FlowNode) -> bool:
        return self.hints[node] is _Hint.DOUBLE and node not in self.boxed

    def add(self, node: FlowNode, hint: _Hint) -> bool:
        """Whether the hint is new.  A name of known type needs none."""
        function, name = node
        before = self.hints.get(node, _NONE)
        if before | hint == before or self.facts.names[function].get(name) in _OF_TYPE:
            return False
        self.hints[node] = before | hint
        return True

    def is_integer(self, node: FlowNode) -> bool:
        function, name = node
        return _OF_TYPE.get(self.facts.names[function].get(name, AbstractType.NOTHING)) is (
            _Hint.FIXNUM
        )

    def settle(self) -> None:
        """Go through the groups again and again, as long as their names get new hints."""
        readers: dict[FlowNode, list[_Group]] = {}
        for group in self.groups:
            results = () if group.result is None else (group.result,)
            for node in (*group.nodes, *results):
                readers.setdefault(node, []).append(group)
        waiting = deque(self.groups)
        while waiting:
            for node in self.go_through(waiting.popleft()):
                waiting.extend(readers.get(node, ()))

    def go_through(self, group: _Group) -> Iterator[FlowNode]:
        """The names of a group that have got new hints."""
        shared = _NONE
        for node in group.nodes:
            shared |= self.hints.get(node, _NONE)
        if group.result is not None and not any(map(self.is_integer, group.nodes)):
            shared |= self.hints.get(group.result, _NONE) & _Hint.DOUBLE
        for node in group.nodes:
            if self.add(node, shared):
                yield node
        computes_double = group.result is not None and _Hint.DOUBLE in shared
        if group.result is not None and computes_double and self.add(group.result, _Hint.DOUBLE):
            yield group.result


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads what the operations of one function tell."""

    guesses: _Guesses
    function: Function

    def read(self) -> None:
        facts, name = self.guesses.facts, self.function.name
        literals = facts.literals[name]
        for local, found in facts.names[name].items():
            hint = _OF_TYPE.get(found, _NONE)
            if hint and not (local in literals and hint is _Hint.FIXNUM):
                self.guesses.hints[self.node(local)] = hint
        for bind in binds_in(self.function.body):
            self.operation(bind.name, bind.operation)
        for end in ends_in(self.function.body):
            match end:
                case DirectTailCall(callee, arguments):
                    self.call(callee, arguments)
                case IndirectTailCall():
                    self.box(end_operands(end))

    def node(self, name: str) -> FlowNode:
        return self.function.name, name

    def box(self, names: tuple[str, ...]) -> None:
        self.guesses.boxed.update(map(self.node, names))

    def operation(self, bound: str, operation: Operation) -> None:
        match operation:
            case Apply(primitive, arguments):
                self.apply(bound, primitive, arguments)
            case DirectCall(callee, arguments):
                self.call(callee, arguments)
            case _:
                if isinstance(operation, NewSlot):
                    self.guesses.slots.add(self.node(bound))
                self.box(operands(operation))

    def call(self, callee: str, arguments: tuple[str, ...]) -> None:
        if callee not in self.guesses.own:
            self.box(arguments)

    def apply(self, bound: str, primitive: Primitive, arguments: tuple[str, ...]) -> None:
        if is_arithmetic(primitive):
            nodes = tuple(map(self.node, arguments))
            returns = primitive.signature.result is not Declared.BOOLEAN
            self.guesses.groups.append(_Group(nodes, self.node(bound) if returns else None))
            return
        variant = number_variant(primitive)
        unboxed = () if variant is None else variant.signature.params
        for index, argument in enumerate(arguments):
            if index >= len(unboxed) or unboxed[index].type is not Declared.NUMBER:
                self.box((argument,))
