"""The operands of each operation, and which of them it consumes.

All passes get this from here: insertion of frees, the verifier, inference and the emitter.

    IndirectCall(f, (x, y))  =>  operands f, x, y; consumed x, y
"""

from collections.abc import Callable, Container, Iterator, Mapping
from operator import attrgetter
from typing import Any, assert_never

from lambent.lang.compile.ir.anf import (
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
    Parameter,
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
    Terminator,
    Truth,
    Yield,
)
from lambent.lang.primitives.attributes import Taken
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Variant
from lambent.lang.primitives.typed import reuses
from lambent.lang.system.dataclass import replace

# The parameters of every function, by its name.
Parameters = Mapping[str, tuple[Parameter, ...]]

def may_free(operation: Operation) -> bool:
    """Whether the operation can free the arguments of which it is the last use."""
    match operation:
        case Apply(primitive, _, variant):
            return primitive.freeing if variant is None else variant.freeing
    return False


def reused(operation: Operation) -> int | None:
    """The index of the argument that donates its storage to the result at its last use."""
    match operation:
        case Apply(variant=Variant(code=str() as symbol, passed=passed)) if reuses(symbol):
            first = Taken(0) if passed is None else passed[0]
            assert isinstance(first, Taken), symbol
            return first.index
    return None


def parameters_by_name(functions: tuple[Function, ...]) -> Parameters:
    return {function.name: function.parameters for function in functions}


def operands(operation: Operation) -> tuple[str, ...]:
    """The names that an operation uses, in order; a name may occur twice."""
    return _OPERANDS[operation.__class__](operation)


def _none(_: object) -> tuple[str, ...]:
    return ()


def _one(operation: Any) -> tuple[str, ...]:
    return (operation.operand,)


# A table, because every pass asks for the operands of every operation, and `match` tests one class
# after the other.
_OPERANDS: dict[type, Callable[[Any], tuple[str, ...]]] = {
    **dict.fromkeys(
        (Literal, GlobalGet, PrimitiveValue, SetGradMode, CheckStack, Fail), _none
    ),
    **dict.fromkeys((Apply, DirectCall), attrgetter("arguments")),
    IndirectCall: lambda operation: (operation.callee, *operation.arguments),
    MakeClosure: attrgetter("captures"),
    MakeTensor: attrgetter("elements"),
    HaveTypes: attrgetter("operands"),
    GlobalSet: lambda operation: (operation.value,),
    RestoreGradMode: lambda operation: (operation.mode,),
    CellGet: lambda operation: (operation.cell,),
    SlotGet: lambda operation: (operation.slot,),
    CellSet: attrgetter("cell", "value"),
    SlotSet: attrgetter("slot", "value"),
    **dict.fromkeys((Convert, Truth, Refine, IsAbsent, NewCell, NewSlot, Dup), _one),
}


def consumed(operation: Operation, parameters: Parameters) -> tuple[bool, ...]:
    """For each of `operands(operation)` whether the operation consumes it."""
    match operation:
        case Apply(primitive, arguments, frees=frees):
            params, rest = primitive.signature.params, primitive.signature.rest
            own = [parameter.own for parameter in params[: len(arguments)]]
            own += [rest is not None and rest.own] * (len(arguments) - len(own))
            return tuple([i in frees or o for i, o in enumerate(own)] if frees else own)
        case DirectCall(function):
            return tuple([parameter.own for parameter in parameters[function]])
        case IndirectCall(_, arguments, is_last=is_last):
            return (is_last, *[True] * len(arguments))
        case MakeClosure(_, captures):
            return (True,) * len(captures)
        case CellSet() | SlotSet():
            return (False, True)
        case GlobalSet() | RestoreGradMode() | NewCell() | NewSlot() | Convert() | Refine():
            return (True,)
        case Truth() | IsAbsent() | CellGet() | SlotGet() | Dup():
            return (False,)
        case MakeTensor(_, elements) | HaveTypes(elements):
            return (False,) * len(elements)
        case Literal() | GlobalGet() | PrimitiveValue() | SetGradMode() | CheckStack() | Fail():
            return ()
        case _:
            assert_never(operation)


def with_operands(operation: Operation, names: tuple[str, ...]) -> Operation:
    """The operation with other operands, in the order of `operands(operation)`."""
    match operation:
        case Literal() | GlobalGet() | PrimitiveValue() | SetGradMode() | CheckStack() | Fail():
            return operation
        case Apply() | DirectCall():
            return replace(operation, arguments=names)
        case IndirectCall():
            return replace(operation, callee=names[0], arguments=names[1:])
        case MakeClosure():
            return replace(operation, captures=names)
        case MakeTensor():
            return replace(operation, elements=names)
        case HaveTypes():
            return replace(operation, operands=names)
        case GlobalSet():
            return replace(operation, value=names[0])
        case RestoreGradMode():
            return RestoreGradMode(names[0])
        case CellGet():
            return CellGet(names[0])
        case SlotGet():
            return SlotGet(names[0])
        case CellSet():
            return CellSet(*names)
        case SlotSet():
            return SlotSet(*names)
        case Convert() | Truth() | Refine() | IsAbsent() | NewCell() | NewSlot() | Dup():
            return replace(operation, operand=names[0])
        case _:
            assert_never(operation)


def returns_immediate(operation: Operation, types: Mapping[str, Representation]) -> bool:
    """Whether the result is never on the heap, whatever its representation: it is not freed, and
    may be consumed any number of times."""
    match operation:
        case Literal():
            return operation.is_immediate
        case Convert(operand):
            return types[operand] in (Representation.FIXNUM, Representation.BOOLEAN)
        case Apply(primitive):
            return primitive.signature.result is Declared.IMMEDIATE
        case _:
            return False


def is_static(operation: Operation, static: Container[str]) -> bool:
    """Whether the result is an object that is never counted nor freed, though it may be consumed: a
    closure without captures, a constant.  static: the names that stand for such objects."""
    match operation:
        case Literal() | PrimitiveValue() | MakeClosure(captures=()):
            return True
        case Dup(operand):
            return operand in static
    return False


def owns_result(operation: Operation, types: Mapping[str, Representation]) -> bool:
    """Whether the name of the result owns a reference, if it is on the heap: neither the constant,
    the variable, nor the owner of a borrowed value keeps it alive."""
    match operation:
        case Literal() | GlobalGet(owned=False) | Apply(borrows=True):
            return False
    return not returns_immediate(operation, types)


def end_operands(end: Terminator) -> tuple[str, ...]:
    """The names that the end of a block uses.  `end_consumed` tells which it consumes."""
    match end:
        case Yield(name):
            return (name,)
        case Recur(_, arguments) | DirectTailCall(_, arguments):
            return arguments
        case IndirectTailCall(callee, arguments):
            return (callee, *arguments)
        case Raise():
            return ()
        case _:
            assert_never(end)


def with_end_operands(end: Terminator, names: tuple[str, ...]) -> Terminator:
    """The end of a block with other operands, in the order of `end_operands(end)`."""
    match end:
        case Yield():
            return replace(end, name=names[0])
        case Recur() | DirectTailCall():
            return replace(end, arguments=names)
        case IndirectTailCall():
            return replace(end, callee=names[0], arguments=names[1:])
        case Raise():
            return end
        case _:
            assert_never(end)


def end_consumed(end: Terminator, parameters: Parameters) -> tuple[bool, ...]:
    """For each of `end_operands(end)` whether it is consumed."""
    match end:
        case DirectTailCall(function):
            return tuple(parameter.own for parameter in parameters[function])
        case Recur(_, arguments, borrowed):
            return tuple(i not in borrowed for i in range(len(arguments)))
        case Yield(borrowed=borrowed):
            return (not borrowed,)
        case IndirectTailCall() | Raise():
            return tuple(True for _ in end_operands(end))
        case _:
            assert_never(end)


# What has been answered, by the identity of the statement, which it keeps alive.  Passes ask about
# each of the enclosing blocks, and nodes never change.
_NEVER_RETURNS: dict[int, tuple[Statement, bool]] = {}
_MOST_ANSWERS = 100_000


def never_returns(statement: Statement) -> bool:
    """Whether control never comes to what follows this statement."""
    if isinstance(statement, Bind):
        operation = statement.operation
        if isinstance(operation, Apply):
            return operation.primitive.effects.never_returns
        return isinstance(operation, Fail)
    known = _NEVER_RETURNS.get(id(statement))
    if known is None:
        if len(_NEVER_RETURNS) >= _MOST_ANSWERS:
            _NEVER_RETURNS.clear()
        known = _NEVER_RETURNS[id(statement)] = statement, _never_returns(statement)
    return known[1]


def _never_returns(statement: If | Loop | Free) -> bool:
    match statement:
        case If(then=then, orelse=orelse):
            return not (may_yield(then) or may_yield(orelse))
        case Loop(body=body):
            return not may_yield(body)
        case Free():
            return False
        case _:
            assert_never(statement)


def repeating_loops(body: Block) -> frozenset[str]:
    """The labels of the loops that may have more than one iteration."""
    ends = [block.end for block in all_blocks(body)]
    return frozenset([end.label for end in ends if isinstance(end, Recur)])


def may_yield(block: Block) -> bool:
    """Whether control may come to the end of a block and yield its value."""
    if not isinstance(block.end, Yield):
        return False
    return not (block.statements and never_returns(block.statements[-1]))


def inner_blocks(statement: Statement) -> tuple[Block, ...]:
    match statement:
        case If(then=then, orelse=orelse):
            return (then, orelse)
        case Loop(body=body):
            return (body,)
        case Bind() | Free():
            return ()
        case _:
            assert_never(statement)


# The blocks inside a block, by its identity, which the answer keeps alive.  Some fifty walks over
# each body ask for them, and nodes never change.
_ALL_BLOCKS: dict[int, tuple[Block, ...]] = {}
_MOST_BLOCKS = 500_000  # in all answers: those about nested blocks repeat each other
_kept_blocks = 0


def all_blocks(block: Block) -> tuple[Block, ...]:
    """The block and every block inside it, outer ones first, in order."""
    global _kept_blocks
    known = _ALL_BLOCKS.get(id(block))
    if known is None:
        known = _blocks_in(block)
        if _kept_blocks > _MOST_BLOCKS:
            _ALL_BLOCKS.clear()
            _kept_blocks = 0
        _kept_blocks += len(known)
        _ALL_BLOCKS[id(block)] = known
    return known


def forget_blocks() -> None:
    """Free what is kept of programs, where one process compiles many."""
    global _kept_blocks
    _ALL_BLOCKS.clear()
    _NEVER_RETURNS.clear()
    _kept_blocks = 0


def _blocks_in(block: Block) -> tuple[Block, ...]:
    found: list[Block] = []
    stack = [block]
    while stack:
        here = stack.pop()
        found.append(here)
        # Most statements have no blocks, and every pass walks over all of them.
        outer = [s for s in here.statements if s.__class__ is not Bind]
        for statement in reversed(outer):
            stack.extend(reversed(inner_blocks(statement)))
    return tuple(found)


def statement_count(block: Block) -> int:
    """How many statements a block has, those in inner blocks included."""
    return sum(len(inner.statements) for inner in all_blocks(block))


def has_loop(function: Function) -> bool:
    """Whether it has a loop, which polls for Ctrl-C."""
    blocks = all_blocks(function.body)
    return any(isinstance(statement, Loop) for block in blocks for statement in block.statements)


def statement_operands(statement: Statement) -> tuple[str, ...]:
    """The names that a statement itself uses, not those inside its blocks."""
    match statement:
        case Bind(operation=operation):
            return operands(operation)
        case If(test=test):
            return (test,)
        case Loop(variables=variables):
            return tuple(variable.initial for variable in variables)
        case Free(name, keeps=keeps):
            return (name, *keeps)
        case _:
            assert_never(statement)


def bound_names(statement: Statement) -> tuple[str, ...]:
    """The names that a statement binds in its own block and, a loop, in its body."""
    match statement:
        case Bind(name) | If(name):
            return (name,)
        case Loop(name, variables=variables):
            return (name, *(variable.name for variable in variables))
        case Free():
            return ()
        case _:
            assert_never(statement)


def last_uses(body: Block) -> dict[str, int]:
    """For each name the number of its last use, in the order of the function's text."""
    last: dict[str, int] = {}
    walking: list[Iterator[Statement | Terminator]] = [_in_order(body)]
    count = 0
    while walking:
        here = next(walking[-1], None)
        if here is None:
            walking.pop()
            continue
        count += 1
        match here:
            case Bind() | If() | Loop() | Free():
                last.update(dict.fromkeys(statement_operands(here), count))
                walking += [_in_order(block) for block in reversed(inner_blocks(here))]
            case _:
                last.update(dict.fromkeys(end_operands(here), count))
    return last


def _in_order(block: Block) -> Iterator[Statement | Terminator]:
    yield from block.statements
    yield block.end
