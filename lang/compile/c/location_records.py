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
from lambent.lang.primitives.signature import Type as Declared


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
            symbol, fails = primitive.symbol, primitive.fails
            if variant is not None:
                symbol, fails = variant.code, variant.fails
            if symbol.startswith(("ct_", "bridge_")):
                return fails
            if variant is None and primitive.is_operator:
                return True
            return is_generic_arithmetic(operation, types)
    return False


def is_generic_arithmetic(apply: Apply, types: Mapping[str, Representation]) -> bool:
    """Whether it computes a value from operands that may be numbers or tensors."""
    signature = apply.primitive.signature
    calculates = signature.result in (Declared.NUMBER, Declared.VALUE) and apply.primitive.fails
    takes_numbers = any(p.type is Declared.NUMBER for p in signature.params)
    unknown = any(types[name] is Representation.VALUE for name in apply.arguments)
    return calculates and takes_numbers and unknown
