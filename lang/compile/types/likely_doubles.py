"""Likely doubles: which names of unknown type probably hold doubles, for `split_doubles`.

    (* x 0.5)          x probably does, and so does the product
    (* 0.5 (* x x))    x does, because the inner product probably does
    (f x)              x does if the parameter of f does, and the other way round
    (vector-ref v x)   x does not

A guess may be wrong: a test decides when the program runs.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Flag, auto

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Function,
    If,
    IndirectTailCall,
    Loop,
    Recur,
    Statement,
    Yield,
)
from lambent.lang.compile.ir.operands import all_blocks, end_operands, operands
from lambent.lang.compile.types.abstract_types import AbstractType
from lambent.lang.compile.types.infer import Facts
from lambent.lang.compile.types.unboxing import FlowNode, number_variant
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive


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


def likely_doubles(program: Anf, facts: Facts) -> set[FlowNode]:
    """The names of the program's own functions that probably hold doubles, and need no box."""
    functions = [f for f in (*program.functions, program.main) if not f.span.source.library]
    guesses = _Guesses(facts, {function.name: function for function in functions})
    for function in functions:
        _Reader(guesses, function).read()
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
    """boxed: the names that are used as values, where doubles would need a box."""

    facts: Facts
    functions: dict[str, Function]
    hints: dict[FlowNode, _Hint] = field(default_factory=dict)
    groups: list[_Group] = field(default_factory=list)
    boxed: set[FlowNode] = field(default_factory=set)

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


@dataclass(slots=True)
class _Reader:
    """Reads one function."""

    guesses: _Guesses
    function: Function
    loops: dict[str, Loop] = field(default_factory=dict)

    def read(self) -> None:
        facts, name = self.guesses.facts, self.function.name
        literals = facts.literals[name]
        for local, found in facts.names[name].items():
            hint = _OF_TYPE.get(found, _NONE)
            if hint and not (local in literals and hint is _Hint.FIXNUM):
                self.guesses.hints[self.node(local)] = hint
        for block in all_blocks(self.function.body):
            for statement in block.statements:
                self.statement(statement)
            match block.end:
                case Recur(label, arguments):
                    for variable, argument in zip(
                        self.loops[label].variables, arguments, strict=True
                    ):
                        self.same(argument, variable.name)
                case DirectTailCall(callee, arguments):
                    self.call(callee, arguments)
                case IndirectTailCall() as end:
                    self.box(end_operands(end))

    def node(self, name: str) -> FlowNode:
        return self.function.name, name

    def same(self, one: str, other: str) -> None:
        self.guesses.groups.append(_Group((self.node(one), self.node(other))))

    def box(self, names: tuple[str, ...]) -> None:
        self.guesses.boxed.update(map(self.node, names))

    def statement(self, statement: Statement) -> None:
        match statement:
            case Bind(bound, _, Apply(primitive, arguments)):
                self.apply(bound, primitive, arguments)
            case Bind(_, _, DirectCall(callee, arguments)):
                self.call(callee, arguments)
            case Bind(_, _, operation):
                self.box(operands(operation))
            case If(bound, _, _, then, orelse):
                for source in (*_yielded(then), *_yielded(orelse)):
                    self.same(source, bound)
            case Loop(bound, _, label, variables, body):
                self.loops[label] = statement
                for variable in variables:
                    self.same(variable.initial, variable.name)
                for source in _yielded(body):
                    self.same(source, bound)

    def call(self, callee: str, arguments: tuple[str, ...]) -> None:
        function = self.guesses.functions.get(callee)
        if function is None:
            self.box(arguments)
            return
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            pair = self.node(argument), (callee, parameter.name)
            self.guesses.groups.append(_Group(pair))

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


def _yielded(block: Block) -> Iterator[str]:
    if isinstance(block.end, Yield):
        yield block.end.name
