"""Forward substitution: replaces a variable by its tensor where it is used once, and at once.

    (let ((a (tensor-mul x w))) (tensor-relu a))   =>   (tensor-relu (tensor-mul x w))

A Python variable would keep the tensor until the procedure returns.  Without it, the tensor is
freed at its use, or the operator reuses its storage (`ctorch/dispatch/reuse.cpp`).
"""

from dataclasses import replace

from lambent.lang.core.ir import Core, If, Let, Local, PrimCall
from lambent.lang.interp.emit.procedure_analysis import ProcedureAnalysis
from lambent.lang.primitives.typed import may_reuse

_DEEPEST = 32  # nested calls that substitution creates


def forwarded(core: Let, analysis: ProcedureAnalysis) -> Core | None:
    """The body with the value in place of the variable; None if that could change the meaning, or
    would save nothing."""
    if core.name in analysis.assigned or analysis.mentions[core.name] != 1:
        return None
    if not 0 < _depth(core.value) < _DEEPEST:
        return None
    return _put(core.body, core.name, core.value)


def _depth(value: Core) -> int:
    """How deep operators are nested, each the first argument of the next."""
    match value:
        case PrimCall(primitive, arguments) if primitive.is_operator:
            return 1 + (_depth(arguments[0]) if arguments else 0)
    return 0


def _put(body: Core, name: str, value: Core) -> Core | None:
    """The body with the value in place of the variable, if the variable is evaluated first."""
    match body:
        case PrimCall(primitive, (Local(mentioned), *rest)) if mentioned == name:
            if primitive.is_operator and may_reuse(primitive.symbol):
                return replace(body, arguments=(value, *rest))
        case PrimCall(primitive, (first, *rest)) if primitive.is_operator:
            if expression := _put(first, name, value):
                return replace(body, arguments=(expression, *rest))
        case Let():
            if expression := _put(body.value, name, value):
                return replace(body, value=expression)
        case If():
            if expression := _put(body.test, name, value):
                return replace(body, test=expression)
    return None
