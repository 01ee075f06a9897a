"""Memory effects: which functions do not allocate, and which may change an object.

    (define (last l) (if (null? (cdr l)) (car l) (last (cdr l))))      does not allocate
    (define (clear! v) (vector-fill! v 0))                             may change an object

`borrow` uses these facts, and `check_owned` proves its result with them.

The boxes of numbers that arithmetic returns do not count as allocation.
"""

from collections.abc import Mapping, Set

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    CellGet,
    Convert,
    DirectCall,
    Fail,
    Function,
    GlobalGet,
    IndirectCall,
    IndirectTailCall,
    IsAbsent,
    Literal,
    NewSlot,
    Operation,
    PrimitiveValue,
    Representation,
    SlotGet,
    SlotSet,
    Truth,
)
from lambent.lang.compile.ir.operands import CALLING, all_blocks
from lambent.lang.compile.types.callers import callers_of, with_callers
from lambent.lang.primitives.signature import Type as Declared
from lambent.lang.primitives.table import Primitive

_SMALL_RESULTS = (Declared.BOOLEAN, Declared.FIXNUM, Declared.FLOAT, Declared.VOID, Declared.CHAR)
_ARITHMETIC = frozenset(
    ("rt_add", "rt_subtract", "rt_multiply", "rt_divide", "rt_negate", "rt_abs", "rt_square",
     "rt_max", "rt_min", "rt_sqrt", "rt_quotient", "rt_remainder", "rt_modulo")
)  # fmt: skip
_READING = frozenset(
    ("rt_string_ref", "rt_list_ref", "rt_list_tail", "rt_memq", "rt_memv", "rt_member", "rt_assq",
     "rt_assv", "rt_assoc", "rt_integer_to_char", "rt_hash_ref", "rt_values_ref")
)  # fmt: skip


def non_allocating_functions(functions: Mapping[str, Function], tensors: bool) -> set[str]:
    """The functions that do not allocate, and call only such functions."""
    allocating = [n for n, f in functions.items() if not _is_non_allocating_itself(f, tensors)]
    return functions.keys() - with_callers(allocating, callers_of(functions))


def _is_non_allocating_itself(function: Function, tensors: bool) -> bool:
    """Whether it does not allocate, apart from the functions that it calls."""
    for block in all_blocks(function.body):
        if isinstance(block.end, IndirectTailCall):
            return False
        for statement in block.statements:
            if isinstance(statement, Bind) and not _does_not_allocate(statement, tensors):
                return False
    return True


def _does_not_allocate(bind: Bind, tensors: bool) -> bool:
    match bind.operation:
        case Apply(primitive) if not primitive.returns:
            return True
        case Apply(primitive) if primitive.symbol in _ARITHMETIC:
            return not tensors or bind.representation in (
                Representation.FIXNUM,
                Representation.FLOAT,
            )
        case Apply(primitive):
            reads = primitive.symbol in _READING or primitive.projection is not None
            small = primitive.signature.result in _SMALL_RESULTS
            return primitive.symbol.startswith("rt_") and (reads or small)
        case (
            DirectCall() | Literal() | GlobalGet() | PrimitiveValue() | Convert() | Truth()
            | IsAbsent() | CellGet() | NewSlot() | SlotGet() | SlotSet() | Fail()
        ):  # fmt: skip
            return True
        case _:
            return False


def mutators(functions: Mapping[str, Function]) -> set[str]:
    """The functions that may change a field or an element of an object."""
    changing = [name for name, function in functions.items() if _changes_itself(function)]
    return with_callers(changing, callers_of(functions))


def _changes_itself(function: Function) -> bool:
    """Whether it may change an object, apart from direct calls."""
    for block in all_blocks(function.body):
        if isinstance(block.end, IndirectTailCall):
            return True
        for operation in _operations(block):
            match operation:
                case IndirectCall():
                    return True
                case Apply(primitive) if _changes(primitive):
                    return True
    return False


def may_change(operation: Operation, mutators: Set[str]) -> bool:
    """Whether an operation may change a field or an element of an object."""
    match operation:
        case DirectCall(callee):
            return callee in mutators
        case Apply(primitive):
            return _changes(primitive)
        case IndirectCall():
            return True
        case _:
            return False


def _operations(block: Block) -> list[Operation]:
    return [s.operation for s in block.statements if isinstance(s, Bind)]


def _changes(primitive: Primitive) -> bool:
    return primitive.name.endswith("!") or primitive.symbol in CALLING
