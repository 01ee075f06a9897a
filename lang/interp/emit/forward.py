"""Forward substitution: the tensor of a variable that is used once, and at once, goes there.

    (let ((a (tensor-mul x w))) (tensor-relu a))   =>   (tensor-relu (tensor-mul x w))

A variable of Python's would keep it until the procedure returns.  So it is freed when it is used,
or the operator leaves its own result in its place (`ctorch/dispatch/reuse.cpp`).
"""

from dataclasses import replace

from lambent.lang.core.ir import Core, If, Let, Local, PrimCall
from lambent.lang.interp.emit.procedure_analysis import Knowledge
from lambent.lang.primitives.typed import may_reuse

_DEEPEST = 32  # calls within each other that substitution makes


def forwarded(core: Let, known: Knowledge) -> Core | None:
    """The body with the value in the variable's place; None where that could not be the same, or
    would not pay."""
    if core.name in known.assigned or known.mentions[core.name] != 1:
        return None
    if not 0 < _depth(core.value) < _DEEPEST:
        return None
    return _put(core.body, core.name, core.value)


def _depth(value: Core) -> int:
    """How many operators stand within each other, each the first argument of the next."""
    match value:
        case PrimCall(primitive, arguments) if primitive.is_operator:
            return 1 + (_depth(arguments[0]) if arguments else 0)
    return 0


def _put(body: Core, name: str, value: Core) -> Core | None:
    """The body with the value where the variable is what is evaluated first."""
    match body:
        case PrimCall(primitive, (Local(mentioned), *rest)) if mentioned == name:
            if primitive.is_operator and may_reuse(primitive.symbol):
                return replace(body, arguments=(value, *rest))
        case PrimCall(primitive, (first, *rest)) if primitive.is_operator:
            if found := _put(first, name, value):
                return replace(body, arguments=(found, *rest))
        case Let():
            if found := _put(body.value, name, value):
                return replace(body, value=found)
        case If():
            if found := _put(body.test, name, value):
                return replace(body, test=found)
    return None
