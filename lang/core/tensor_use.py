"""Whether code needs LibTorch: it has a tensor literal, or a primitive that is not the runtime's.

    (lambda (x) (tensor-sum x))  =>  True
"""

from lambent.lang.core.ir import Core, GradMode, PrimCall, PrimRef, TensorLiteral
from lambent.lang.core.traverse import walk
from lambent.lang.primitives.table import Origin


def mentions_tensors(core: Core) -> bool:
    """Whether an expression itself does, apart from the procedures that it calls."""
    return any(map(_needs_torch, walk(core)))


def _needs_torch(node: Core) -> bool:
    match node:
        case TensorLiteral() | GradMode():
            return True
        case PrimCall(primitive) | PrimRef(primitive):
            return primitive.origin is not Origin.RUNTIME
    return False
