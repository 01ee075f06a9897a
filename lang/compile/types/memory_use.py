"""Memory effects: which functions do not allocate, and which may change an object.

    (define (last l) (if (null? (cdr l)) (car l) (last (cdr l))))      does not allocate
    (define (clear! v) (vector-fill! v 0))                             may change an object
    (define (count! t k) (hash-set! t k (+ 1 (hash-ref t k 0))))       does neither

`borrow` uses these facts, and `check_owned` proves its result with them.

Both follow from the effects of each operation (`primitives/effects.py`).  Only pairs, vectors and
records count as objects that change, because borrowed projections come from these only.  Numbers
do not count as allocation, nor does the room of texts and hash tables: what borrowed arguments keep
alive may be large, these are not.
"""

from collections.abc import Mapping, Set

from lambent.lang.compile.ir.anf import (
    Bind,
    DirectCall,
    Function,
    IndirectCall,
    IndirectTailCall,
    Operation,
    Representation,
)
from lambent.lang.compile.ir.operands import all_blocks
from lambent.lang.compile.ir.operation_effects import effects_of
from lambent.lang.compile.types.callers import callers_of, with_callers
from lambent.lang.primitives.effects import CONTAINERS, Allocation


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
    if isinstance(bind.operation, IndirectCall):
        return False
    effects = effects_of(bind.operation, bind.representation, tensors=tensors)
    return effects.never_returns or Allocation.OBJECTS not in effects.allocates


def mutators(functions: Mapping[str, Function]) -> set[str]:
    """The functions that may change a field or an element of an object."""
    changing = [name for name, function in functions.items() if _changes_itself(function)]
    return with_callers(changing, callers_of(functions))


def _changes_itself(function: Function) -> bool:
    """Whether it may change an object, apart from direct calls."""
    return any(
        isinstance(block.end, IndirectTailCall)
        or any(isinstance(s, Bind) and _changes(s.operation) for s in block.statements)
        for block in all_blocks(function.body)
    )


def may_change(operation: Operation, mutators: Set[str]) -> bool:
    """Whether an operation may change a field or an element of an object that holds others."""
    if isinstance(operation, DirectCall):
        return operation.function in mutators
    return _changes(operation)


def _changes(operation: Operation) -> bool:
    """A procedure that it calls may change anything."""
    effects = effects_of(operation, Representation.VALUE, tensors=False)
    return bool(effects.writes & CONTAINERS) or effects.may_call
