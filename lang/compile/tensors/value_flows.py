"""How values flow in a function, for the analysis of what holds tensors (`tensor_flow.py`).

    (define (f x) (cons x '()))  =>  Copy(x -> t1), Copy(t1 -> result)
    (vector-set! v 0 y)          =>  Store(y -> v)

A flow leads from name to name.  Some names stand for more than a variable of the function: its
result, each top-level variable, and what errors and parameters hold in the whole program.
"""

from collections.abc import Iterable
from itertools import zip_longest

from lambent.lang.compile.ir.anf import (
    Apply,
    CellSet,
    DirectCall,
    DirectTailCall,
    Function,
    GlobalGet,
    GlobalSet,
    IndirectCall,
    IndirectTailCall,
    MakeClosure,
    MakeTensor,
    Operation,
    PrimitiveValue,
    Representation,
    SlotSet,
)
from lambent.lang.compile.ir.blocks import binds_in, ends_in, moves_in
from lambent.lang.compile.ir.operands import operands
from lambent.lang.primitives.effects import CONTAINERS, Memory
from lambent.lang.primitives.operator_effects import returns_tensors
from lambent.lang.primitives.signature import Param, Type
from lambent.lang.primitives.table import Origin, Primitive
from lambent.lang.system.dataclass import dataclass

_RECORD = "rt_record"  # a new record: it holds its fields, but not its type
RESULT = " result"
_GIVEN = " given"  # the arguments of calls by LibTorch
# What the whole program shares: what errors and escapes hold, and what parameters do.
STATE = " state"
PARAMETERS = " parameters"
# What all variables of the library hold, and what calls of unknown procedures pass.
VARIABLES = " variables"
POSITIONS = " positions"
NO_FUNCTION = " creates tensors"
# The results that may hold tensors.  The others are declared to be numbers, texts and the like.
_HOLDERS = (
    Type.VALUE, Type.NUMBER, Type.TENSOR, Type.PAIR, Type.LIST, Type.VECTOR, Type.HASH_TABLE,
    Type.PROCEDURE,
)  # fmt: skip
_ON_HEAP = (Representation.VALUE, Representation.NUMBER, Representation.TENSOR)
_STORES = CONTAINERS | Memory.TABLE | Memory.CELL
_STATES = {STATE: Memory.CONDITION, PARAMETERS: Memory.DYNAMIC}


@dataclass(frozen=True, slots=True)
class Copy:
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class OfType:
    """The source is the type of the target, a record, which may make that callable."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Store:
    """The value becomes a part of the container."""

    value: str
    container: str


@dataclass(frozen=True, slots=True)
class Tensors:
    """The target holds tensors, wherever they come from."""

    target: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an unknown procedure."""

    callee: str
    arguments: tuple[str, ...]
    target: str
    spread: bool


@dataclass(frozen=True, slots=True)
class Direct:
    """A call of a function.  A closure is like a call of it without the arguments to come."""

    function: str
    arguments: tuple[str, ...]
    target: str
    is_closure: bool


Flow = Copy | OfType | Store | Tensors | Call | Direct


VARIABLE = " variable "


def is_shared(name: str) -> bool:
    """Whether it stands for something that all functions see."""
    return name in _STATES or name.startswith(VARIABLE)


def flows_of(function: Function) -> Iterable[Flow]:
    for name, target in moves_in(function.body):
        yield Copy(name, RESULT if target is None else target.name)
    for bind in binds_in(function.body):
        yield from _operation_flows(bind.name, bind.representation, bind.operation)
    for end in ends_in(function.body):
        match end:
            case DirectTailCall(callee, arguments):
                yield Direct(callee, arguments, RESULT, False)
            case IndirectTailCall(callee, arguments, spread=spread):
                yield Call(callee, arguments, RESULT, spread)


def _operation_flows(
    name: str, representation: Representation, operation: Operation
) -> Iterable[Flow]:
    used = operands(operation)
    match operation:
        case MakeTensor():
            yield Tensors(name)
        case DirectCall(callee, arguments):
            yield Direct(callee, arguments, name, False)
        case IndirectCall(callee, arguments, spread):
            yield Call(callee, arguments, name, spread)
        case MakeClosure(callee, captures):
            yield Direct(callee, captures, name, True)
        case GlobalGet(variable, namespace):
            yield Copy(f"{VARIABLE}{namespace.value} {variable}", name)
        case GlobalSet(variable, namespace, value):
            yield Copy(value, f"{VARIABLE}{namespace.value} {variable}")
        case CellSet(container, value) | SlotSet(container, value):
            yield Store(value, container)
        case PrimitiveValue(primitive):
            if _may_create_tensors(primitive):
                yield Direct(NO_FUNCTION, (), name, True)
        case Apply(primitive, arguments):
            yield from _apply_flows(name, representation, primitive, arguments)
        case _:
            if representation in _ON_HEAP:
                yield from (Copy(source, name) for source in used)


def _may_create_tensors(primitive: Primitive) -> bool:
    """Whether its result may be a tensor although no argument holds one."""
    if primitive.is_operator:
        return returns_tensors(primitive.symbol)
    result = primitive.signature.result
    is_foreign = primitive.origin is not Origin.RUNTIME
    return result is Type.TENSOR or (is_foreign and result is Type.VALUE)


def _returns_holder(primitive: Primitive) -> bool:
    """Whether its result may hold a tensor, at least if an argument does."""
    if primitive.is_operator:
        return returns_tensors(primitive.symbol)
    return primitive.signature.result in _HOLDERS


def _may_hold(primitive: Primitive, parameter: Param | None) -> bool:
    """Whether a parameter takes values that hold tensors; None stands for the rest parameter."""
    if parameter is None or parameter.type is Type.NUMBER:
        return parameter is None or primitive.effects.on_tensors
    return parameter.type in _HOLDERS


def _apply_flows(
    name: str, representation: Representation, primitive: Primitive, arguments: tuple[str, ...]
) -> Iterable[Flow]:
    effects = primitive.effects
    is_own = primitive.origin is Origin.RUNTIME  # LibTorch changes tensors, and no other objects
    taken = [(a, p) for p, a in zip_longest(primitive.signature.params, arguments) if a]
    if is_own and effects.writes & _STORES:
        others = taken[1:]
        kept = [a for a, p in others if p is not None and p.own] or [a for a, _ in others]
        yield from (Store(value, arguments[0]) for value in kept)
    if effects.may_call and not is_own:  # LibTorch calls the procedures of custom gradients
        yield Tensors(_GIVEN)
        yield Call(_GIVEN, (_GIVEN,), _GIVEN, True)
    for state, memory in _STATES.items():
        raises = effects.never_returns and state is STATE
        if is_own and (raises or effects.writes & memory):
            yield from (Copy(value, state) for value in arguments)
    if representation is Representation.TENSOR:
        yield Tensors(name)
    elif representation in _ON_HEAP and _returns_holder(primitive):
        if _may_create_tensors(primitive):
            yield Tensors(name)
        if effects.may_call:
            yield from (Call(argument, (), name, False) for argument in arguments)
        if is_own:
            yield from (Copy(s, name) for s, memory in _STATES.items() if effects.reads & memory)
        if primitive.symbol == _RECORD:
            yield OfType(arguments[0], name)
            taken = taken[1:]
        if primitive.projection is not None:
            taken = taken[:1]
        yield from (Copy(source, name) for source, p in taken if _may_hold(primitive, p))
