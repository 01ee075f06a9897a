"""The effects of each operation of the IR, as the record of `primitives/effects.py`.

A primitive has declared its own; here are those of the other operations.  The effects of a direct
call are those of the function that it calls, which `types/effects.py` and `types/memory_use.py`
find for the whole program.
"""

from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    CellGet,
    CellSet,
    CheckStack,
    Convert,
    DirectCall,
    Doubles,
    Dup,
    Fail,
    GlobalGet,
    GlobalSet,
    HaveTypes,
    IndirectCall,
    IsAbsent,
    Literal,
    MakeClosure,
    MakeTensor,
    NewCell,
    NewSlot,
    Operation,
    PrimitiveValue,
    Refine,
    Representation,
    RestoreGradMode,
    SetGradMode,
    SlotGet,
    SlotSet,
    Truth,
)
from lambent.lang.primitives.effects import ANYTHING, NO_EFFECTS, Effects
from lambent.lang.primitives.table import Container

_ALLOCATES = Effects.parse("allocates objects")
_BOXES = Effects.parse("allocates numbers")
_FAILS = Effects.parse("fails")
_NEVER_RETURNS = Effects.parse("fails, never returns")
# What makes a vector of doubles a plain one allocates boxes.
_READS_FIELD = {
    Container.PAIR: Effects.parse("reads pair"),
    Container.VECTOR: Effects.parse("reads vector, allocates numbers"),
    Container.RECORD: Effects.parse("reads record"),
}
_READS_VECTOR = Effects.parse("reads vector")
_READS_CELL = Effects.parse("reads cell")
_WRITES_CELL = Effects.parse("writes cell")
_WRITES_STATE = Effects.parse("writes state")
_TRUTH_OF_TENSOR = Effects.parse("reads tensor, allocates memory, fails")
_MAKES_TENSOR = Effects.parse("reads vector, allocates anything, fails")
_READS_GLOBAL = Effects.parse("reads global")
_WRITES_GLOBAL = Effects.parse("writes global")


def effects_of(
    operation: Operation,
    representation: Representation,
    *,
    tensors: bool,
    converts_value: bool = True,
) -> Effects:
    """What an operation may do itself, apart from the function that a direct call calls.

    representation: of the result.  tensors: whether the program uses them.  converts_value: whether
    the operand of a Convert is a VALUE, whose type it tests.
    """
    match operation:
        case Apply(primitive, field=str() | int()):
            return _READS_FIELD[primitive.indexes or Container.PAIR]
        case Apply(primitive, _, variant):
            effects = primitive.effects if variant is None else variant.effects
            return effects.in_program(tensors=tensors)
        case IndirectCall():
            return ANYTHING
        case DirectCall() | Literal() | PrimitiveValue() | IsAbsent() | Dup():
            return NO_EFFECTS
        case HaveTypes(_, types):
            tests_vector = any(isinstance(type_, Doubles) for type_ in types)
            return _READS_VECTOR if tests_vector else NO_EFFECTS
        case NewSlot() | SlotGet() | SlotSet():  # a slot is a variable of the function itself
            return NO_EFFECTS
        case Refine():
            return NO_EFFECTS
        case MakeClosure(_, captures):
            return _ALLOCATES if captures else NO_EFFECTS
        case NewCell():
            return _ALLOCATES
        case CellGet():
            return _READS_CELL
        case CellSet():
            return _WRITES_CELL
        case GlobalGet(checked=checked):
            return _READS_GLOBAL | _FAILS if checked else _READS_GLOBAL
        case GlobalSet(checked=checked):
            return _WRITES_GLOBAL | _FAILS if checked else _WRITES_GLOBAL
        case MakeTensor():
            return _MAKES_TENSOR
        case Truth(plain=plain):
            return _TRUTH_OF_TENSOR if tensors and not plain else NO_EFFECTS
        case Convert():
            return _conversion(representation, converts_value=converts_value)
        case SetGradMode() | RestoreGradMode():
            return _WRITES_STATE
        case CheckStack():
            return _FAILS
        case Fail():
            return _NEVER_RETURNS
        case _:
            assert_never(operation)


def _conversion(to: Representation, *, converts_value: bool) -> Effects:
    match to:
        case Representation.VALUE:
            return _BOXES
        case Representation.NUMBER:
            return NO_EFFECTS
        case _:
            return _FAILS if converts_value else NO_EFFECTS


def is_pure(bind: Bind) -> bool:
    """Whether it does nothing besides computing its result.  Calls, and what binds cells and slots,
    stay."""
    if isinstance(bind.operation, DirectCall | NewCell | NewSlot | SlotSet | Dup):
        return False
    return effects_of(bind.operation, bind.representation, tensors=True).is_pure
