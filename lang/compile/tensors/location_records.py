"""Location records: which operations record where the program is, for reports of memory and time.

A report names the line of Lisp that was running when memory use was at its peak, or that called an
operator.  An executable keeps no stack of lines, so its code stores its location in a global
variable before each operation that may create a tensor, in programs that use tensors.

    (tensor-exp x)  =>  rt_here = &locations[4];
                        ... ct_exp(x, &t1) ...

Calls of the program's own procedures need no record, because these have their own.  The library has
none, so its operations count for the program's last record, which is the call.
"""

from collections.abc import Mapping

from lambent.lang.compile.ir.anf import (
    Apply,
    DirectCall,
    DirectTailCall,
    Function,
    IndirectCall,
    IndirectTailCall,
    MakeTensor,
    Operation,
    Representation,
)
from lambent.lang.primitives.effects import ANY_ALLOCATION
from lambent.lang.primitives.table import Origin


def may_create_tensors(
    operation: Operation | DirectTailCall | IndirectTailCall,
    functions: Mapping[str, Function],
    types: Mapping[str, Representation],
) -> bool:
    """Whether an operation may create a tensor outside of the program's own procedures."""
    match operation:
        case MakeTensor() | IndirectCall() | IndirectTailCall():
            return True
        case DirectCall(function) | DirectTailCall(function):
            return functions[function].span.source.library
        case Apply(primitive, variant=variant):
            declared = primitive if variant is None else variant
            if declared.origin is Origin.RUNTIME:
                return takes_unknown_numbers(operation, types)
            return declared.effects.allocates == ANY_ALLOCATION
    return False


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
