"""Inline calls of the procedures of a top-level `define-record-type`.

    (point-x p)  =>  (%record-ref p type 0 "point-x"), where point-x is known to be that procedure

So errors are reported at the call, in tail position too, and no call is needed to read a field.
"""

from collections.abc import Mapping

from lambent.lang.core.ir import (
    Call,
    Const,
    Core,
    Global,
    Lambda,
    Local,
    Namespace,
    PrimCall,
    Program,
)
from lambent.lang.core.traverse import rewrite
from lambent.lang.system.dataclass import replace

_OPERATIONS = frozenset({"rt_record", "rt_is_record", "rt_record_ref", "rt_record_set"})
GlobalKey = tuple[str, Namespace]


def is_record_procedure(value: Core) -> bool:
    """Whether it is a constructor, a predicate, an accessor or a modifier."""
    match value:
        case Lambda(_, parameters, (), None, PrimCall(primitive, operands), span):
            if not span.source.library:  # inlining may leave such a body in others, too
                return False
            fields = tuple([o.name for o in operands if isinstance(o, Local)])
            others = [o for o in operands if not isinstance(o, Local)]
            # The arguments are evaluated as often as before, and in the same order.
            return (
                primitive.symbol in _OPERATIONS
                and fields == parameters
                and all(isinstance(o, Const | Global) for o in others)
            )
    return False


def record_operation(procedure: Lambda | None, call: Call) -> PrimCall | None:
    """The primitive call that replaces a call of a record procedure, if the arity is right."""
    if procedure is None or not is_record_procedure(procedure):
        return None
    if len(procedure.parameters) != len(call.arguments):
        return None
    assert isinstance(procedure.body, PrimCall)
    arguments = iter(call.arguments)
    operands = [next(arguments) if isinstance(o, Local) else o for o in procedure.body.arguments]
    return PrimCall(procedure.body.primitive, tuple(operands), call.span)


def inline_record_calls(program: Program, procedures: Mapping[GlobalKey, Lambda]) -> Program:
    """The program with such calls replaced.  known: the procedures of constant variables."""
    if not any(map(is_record_procedure, procedures.values())):
        return program

    def change(core: Core) -> Core | None:
        if isinstance(core, Call) and isinstance(core.function, Global):
            procedure = procedures.get((core.function.name, core.function.namespace))
            operation = record_operation(procedure, core)
            if operation is not None:
                arguments = tuple([rewrite(a, change) for a in operation.arguments])
                return PrimCall(operation.primitive, arguments, core.span)
        return None

    return replace(program, forms=tuple([rewrite(form, change) for form in program.forms]))
