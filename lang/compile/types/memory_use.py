"""Memory effects: which functions do not allocate, and which objects each may change.

    (define (last l) (if (null? (cdr l)) (car l) (last (cdr l))))      does not allocate
    (define (clear! v) (vector-fill! v 0))                             may change a vector
    (define (count! t k) (hash-set! t k (+ 1 (hash-ref t k 0))))       does neither

`borrow` uses these facts, and `check_owned` proves its result with them.

Both follow from the effects of each operation (`primitives/effects.py`).  Only pairs, vectors and
records count as objects that change, because borrowed projections come from these only.  Numbers
do not count as allocation, nor does the room of texts and hash tables: what borrowed arguments keep
alive may be large, these are not.

A call of an unknown procedure may change what the procedures that are values may change, in the
whole program: a program that never stores into pairs does not do so in such a call either.
"""

from collections.abc import Callable, Mapping, Set

from lambent.lang.compile.ir.anf import (
    Bind,
    DirectCall,
    Function,
    IndirectCall,
    IndirectTailCall,
    Operation,
    PrimitiveValue,
    Representation,
)
from lambent.lang.compile.ir.blocks import binds_in, ends_in
from lambent.lang.compile.ir.operands import operands
from lambent.lang.compile.ir.operation_effects import effects_of
from lambent.lang.compile.types.callers import callers_of, mentioned_values, with_callers
from lambent.lang.primitives.effects import (
    CONTAINERS,
    EVERYTHING,
    NOTHING,
    Allocation,
    Effects,
    Memory,
)
from lambent.lang.system.dataclass import dataclass


def non_allocating_functions(
    functions: Mapping[str, Function],
    tensors: bool,
    find_names: Callable[[], Mapping[str, Set[str]]],
) -> set[str]:
    """The functions that do not allocate, and call only such functions.

    tensors: whether the program uses them, so that arithmetic may create one.  find_names: for each
    function the names that may hold a tensor; arithmetic on others cannot.  This look at the whole
    program is worth its time only if a procedure of the program reads objects, which it could
    borrow.  The library's procedures are not asked about: programs share their C.
    """
    allocating = {n for n, f in functions.items() if not is_non_allocating_itself(f, tensors)}
    doubtful = [
        function for name, function in functions.items()
        if name in allocating and tensors and not function.owner.is_library
        and is_non_allocating_itself(function, False)
    ]
    if any(map(_reads_objects, doubtful)):
        names = find_names()
        allocating -= {
            function.name for function in doubtful
            if is_non_allocating_itself(function, True, names[function.name])
        }
    return functions.keys() - with_callers(sorted(allocating), callers_of(functions))


def _reads_objects(function: Function) -> bool:
    return any(read_memory(bind.operation) for bind in binds_in(function.body))


def is_non_allocating_itself(
    function: Function, tensors: bool, names: Set[str] | None = None
) -> bool:
    """Whether it does not allocate, apart from the functions that it calls.  names: those that may
    hold a tensor; None if all may."""
    if function.interface is not None:
        return not function.interface.allocates

    def may_hold(bind: Bind) -> bool:
        return tensors and (names is None or not names.isdisjoint(operands(bind.operation)))

    return not any(isinstance(end, IndirectTailCall) for end in ends_in(function.body)) and all(
        _does_not_allocate(bind, may_hold(bind)) for bind in binds_in(function.body)
    )


def _does_not_allocate(bind: Bind, tensors: bool) -> bool:
    if isinstance(bind.operation, IndirectCall):
        return False
    effects = effects_of(bind.operation, bind.representation, tensors=tensors)
    return effects.never_returns or Allocation.OBJECTS not in effects.allocates


@dataclass(frozen=True, slots=True)
class Changes:
    """Which objects each function of a program may change, of CONTAINERS.  unknown: those that an
    unknown procedure may change."""

    functions: Mapping[str, Memory]
    unknown: Memory

    def by(self, operation: Operation) -> Memory:
        """What an operation may change."""
        if isinstance(operation, DirectCall):
            return self.functions[operation.function]
        changes, calls = _changes(operation)
        return changes | self.unknown if calls else changes


def find_changes(functions: Mapping[str, Function], *, is_unit: bool = False) -> Changes:
    """What each function may change, and what a procedure that is a value may.

    is_unit: they are a part of a program, and other parts may pass any procedure to them.
    """
    own = {name: changes_itself(function) for name, function in functions.items()}
    callers = callers_of(functions)
    values = {name for function in functions.values() for name in mentioned_values(function)}
    changed = dict.fromkeys(functions, NOTHING)
    unknown = CONTAINERS if is_unit else changed_by_primitives(functions)
    for name, function in functions.items():
        if function.interface is not None:
            changed[name] |= function.interface.changes
            unknown |= function.interface.closure_changes
    for memory in CONTAINERS:
        reached = with_callers([n for n, (changes, _) in own.items() if memory in changes], callers)
        for name in reached:
            changed[name] |= memory
        if any(functions[name].escapes and name in values for name in reached):
            unknown |= memory
    for name in with_callers([n for n, (_, calls) in own.items() if calls], callers):
        changed[name] |= unknown
    return Changes(changed, unknown)


def changed_by_primitives(functions: Mapping[str, Function]) -> Memory:
    """What the primitives that are values may change."""
    found = NOTHING
    for function in functions.values():
        for bind in binds_in(function.body):
            if isinstance(bind.operation, PrimitiveValue):
                found |= bind.operation.primitive.effects.writes & CONTAINERS
    return found


def changes_itself(function: Function) -> tuple[Memory, bool]:
    """What a function may change apart from its calls, and whether it calls unknown procedures."""
    if function.interface is not None:
        return function.interface.changes, function.interface.calls_unknown
    found = NOTHING
    calls = any(isinstance(end, IndirectTailCall) for end in ends_in(function.body))
    for bind in binds_in(function.body):
        changes, may_call = _changes(bind.operation)
        if changes:
            found |= changes
        calls |= may_call
    return found, calls


def _changes(operation: Operation) -> tuple[Memory, bool]:
    """What an operation may change itself, and whether it may call unknown procedures.  What may
    write anything while it calls does so by its calls."""
    return _of_containers(operation).changes


def read_memory(operation: Operation) -> Memory:
    """Which objects a projection reads: what changes them may change what it has returned."""
    return _of_containers(operation).reads


@dataclass(frozen=True, slots=True)
class _OfContainers:
    """What effects say of containers.  changes: and whether they may call unknown procedures."""

    effects: Effects
    reads: Memory
    changes: tuple[Memory, bool]

    @staticmethod
    def of(effects: Effects) -> "_OfContainers":
        calls = effects.may_call and effects.writes == EVERYTHING
        changes = (NOTHING, True) if calls else (effects.writes & CONTAINERS, effects.may_call)
        return _OfContainers(effects, effects.reads & CONTAINERS, changes)


# By the identity of effects, which the answer keeps alive: operations share a few hundred, and to
# compute the hash of one takes longer than the answer.
_OF_CONTAINERS: dict[int, _OfContainers] = {}


def forget_effects() -> None:
    """Free what is kept of programs, where one process compiles many: some calls have their own."""
    _OF_CONTAINERS.clear()


def _of_containers(operation: Operation) -> _OfContainers:
    effects = effects_of(operation, Representation.VALUE, tensors=False)
    known = _OF_CONTAINERS.get(id(effects))
    if known is None:
        known = _OF_CONTAINERS[id(effects)] = _OfContainers.of(effects)
    return known
