"""Calls of the procedures of `define-record-type`, which do one thing: they need no call.

    (point-x p)  =>  (%record-ref p type 0 "point-x"), where point-x is known to be that procedure
"""

from lambent.lang.core.ir import Call, Const, Core, Global, Lambda, Local, PrimCall
from lambent.lang.interp.knowledge import Knowledge

_OPERATIONS = frozenset({"rt_record", "rt_is_record", "rt_record_ref", "rt_record_set"})


def record_call(core: Core, known: Knowledge) -> Core:
    """What a call of such a procedure does; anything else as it is."""
    if not isinstance(core, Call):
        return core
    match known.lambdas.get(str(known.callee(core.function))):
        case Lambda(_, parameters, (), None, PrimCall(primitive, operands)) if (
            primitive.symbol in _OPERATIONS and len(parameters) == len(core.arguments)
        ):
            taken = tuple([o.name for o in operands if isinstance(o, Local)])
            others = [o for o in operands if not isinstance(o, Local)]
            # The arguments are evaluated as often as before, and in the same order.
            if taken == parameters and all(isinstance(o, Const | Global) for o in others):
                given = iter(core.arguments)
                operands = tuple([next(given) if isinstance(o, Local) else o for o in operands])
                return PrimCall(primitive, operands, core.span)
    return core
