"""Location records: which operations record where the program is, for reports of memory and time.

A report names the line of Lisp that was running when memory use was at its peak, or that called an
operator.  An executable keeps no stack of lines, so its code stores its location in a global
variable before each operation that may create a tensor, in programs that use tensors.

    (tensor-exp x)  =>  rt_here = &locations[4];
                        ... ct_exp(x, &t1) ...

Calls of the program's own procedures need no record, because these have their own.  The library has
none, so its operations count for the program's last record, which is the call.  Most procedures of
the library create no tensors, so few calls need a record: one of an unknown procedure only if some
procedure of the library, or a primitive, that the program uses as a value may create tensors.
"""

from collections.abc import Iterator, Mapping, Set

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    DirectCall,
    DirectTailCall,
    Free,
    Function,
    IndirectCall,
    IndirectTailCall,
    Loop,
    MakeTensor,
    Operation,
    PrimitiveValue,
    Representation,
)
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.ir.operands import all_blocks, inner_blocks
from lambent.lang.compile.types.callers import callers_of, mentioned_values, with_callers
from lambent.lang.primitives.effects import ANY_ALLOCATION
from lambent.lang.primitives.table import Origin, Primitive
from lambent.lang.system.dataclass import dataclass

_Step = Operation | DirectTailCall | IndirectTailCall


@dataclass(frozen=True, slots=True)
class Creators:
    """What may create tensors outside of the program's own procedures.  functions: of the library.
    unknown: whether a procedure that is a value may do so."""

    functions: Set[str]
    unknown: bool

    def may_be_called(self, step: _Step) -> bool:
        """Whether an operation may call one."""
        match step:
            case IndirectCall() | IndirectTailCall():
                return self.unknown
            case DirectCall(function) | DirectTailCall(function):
                return function in self.functions
        return False


NO_CREATORS = Creators(frozenset(), False)


def find_creators(functions: Mapping[str, Function]) -> Creators:
    """The creators of a program with these functions."""
    library = {name: f for name, f in functions.items() if f.span.source.library}
    callers = callers_of(library)
    creating = [n for n, f in library.items() if creates_itself(f)]
    found = with_callers(creating, callers)
    used = {name for f in functions.values() for name in mentioned_values(f)}
    unknown = (
        any(library[name].escapes and name in used for name in found)
        or any(map(creating_values, functions.values()))
        or any(f.interface is not None and f.interface.closures_create for f in functions.values())
    )
    if unknown:
        calling = [n for n, f in library.items() if _calls_unknown_itself(f)]
        found |= with_callers(calling, callers)
    return Creators(found, unknown)


def creates_itself(function: Function) -> bool:
    """Whether a function of the library may create tensors, apart from its calls."""
    if function.interface is not None:
        return function.interface.creates_tensors
    return any(map(_creates, _all_steps(function)))


def _calls_unknown_itself(function: Function) -> bool:
    if function.interface is not None:
        return function.interface.calls_unknown
    return any(map(_calls_unknown, _all_steps(function)))


def creating_values(function: Function) -> bool:
    """Whether a function uses primitives as values that may create tensors."""
    return any(map(_may_create, _values(function)))


def _values(function: Function) -> Iterator[Primitive]:
    """The primitives that a function uses as values."""
    for bind in binds_in(function.body):
        if isinstance(bind.operation, PrimitiveValue):
            yield bind.operation.primitive


def _all_steps(function: Function) -> Iterator[_Step]:
    return (step for block in all_blocks(function.body) for step in _steps(block))


def _steps(block: Block) -> Iterator[_Step]:
    """The library's operations and tail calls in a block, but not in the blocks inside of it.  A
    procedure of the library may hold copies of the program's; these have their own records."""
    for statement in block.statements:
        if isinstance(statement, Bind) and statement.span.source.library:
            yield statement.operation
    end = block.end
    if isinstance(end, DirectTailCall | IndirectTailCall) and end.span.source.library:
        yield end


def _creates(step: _Step) -> bool:
    """Whether an operation of the library may create tensors, apart from its calls."""
    match step:
        case MakeTensor():
            return True
        case Apply(primitive):
            return _may_create(primitive)
    return False


def _may_create(primitive: Primitive) -> bool:
    effects = primitive.effects
    return effects.on_tensors or effects.allocates == ANY_ALLOCATION


def _calls_unknown(step: _Step) -> bool:
    match step:
        case IndirectCall() | IndirectTailCall():
            return True
        case Apply(primitive):
            return primitive.effects.may_call
    return False


def may_create_tensors(
    operation: _Step, creators: Creators, types: Mapping[str, Representation]
) -> bool:
    """Whether an operation may create a tensor outside of the program's own procedures."""
    match operation:
        case MakeTensor():
            return True
        case Apply(primitive, variant=variant):
            declared = primitive if variant is None else variant
            if declared.origin is Origin.RUNTIME:
                return takes_unknown_numbers(operation, types)
            return declared.effects.allocates == ANY_ALLOCATION
    return creators.may_be_called(operation)


def is_copied(loop: Loop) -> bool:
    """Whether it is a procedure of the library that stands where the program calls it."""
    spans = (s.span for s in loop.body.statements if not isinstance(s, Free))
    return loop.inlined is not None and any(span.source.library for span in spans)


def copy_may_create_tensors(body: Block, creators: Creators, known: dict[int, bool]) -> bool:
    """Whether a copy of a procedure of the library may do so, which stands where it is called.

    known: the answers for the blocks of a function so far, by their identities.  Copies may be
    nested deeply, and each asks for the blocks inside of it.
    """
    found = known.get(id(body))
    if found is None:
        found = any(_creates(step) or creators.may_be_called(step) for step in _steps(body))
        inside = (inner for s in body.statements for inner in inner_blocks(s))
        found = found or any(copy_may_create_tensors(inner, creators, known) for inner in inside)
        known[id(body)] = found
    return found


# The arithmetic whose C functions have a counterpart that records the location in its slow cases.
_RECORDING = {
    *("rt_add", "rt_subtract", "rt_multiply"),
    *("rt_add_numbers", "rt_subtract_numbers", "rt_multiply_numbers", "rt_divide_numbers"),
}


def records_location(apply: Apply) -> bool:
    """Whether the operation's C function can record the location itself."""
    declared = apply.primitive if apply.variant is None else apply.variant
    return declared.symbol in _RECORDING


def takes_unknown_numbers(apply: Apply, types: Mapping[str, Representation]) -> bool:
    """Whether it is arithmetic of the runtime, and operands may be numbers or tensors."""
    declared = apply.primitive if apply.variant is None else apply.variant
    unknown = any(types[name] is Representation.VALUE for name in apply.arguments)
    return declared.effects.on_tensors and unknown
