"""Gradients, and the state of LibTorch: seed, threads."""

from lambent.lang.errors import LispError
from lambent.lang.interp.arguments import elements
from lambent.lang.interp.builtins.data import truth
from lambent.lang.interp.builtins.tensors import (
    extension,
    integer_argument,
    library,
    naming,
    tensor_argument,
)
from lambent.lang.interp.faults import wrong_type
from lambent.lang.interp.values import FALSE, TRUE, UNSPECIFIED, Lisp, list_of


def requires_grad(x: Lisp, on: Lisp = TRUE) -> Lisp:
    tensor_argument("requires-grad!", x)
    record = truth(on)
    with naming("requires-grad!") as module:
        module.requires_grad(x, record)
        return x


def backward(
    loss: Lisp, gradient: Lisp = FALSE, retain_graph: Lisp = FALSE, create_graph: Lisp = FALSE
) -> Lisp:
    tensor_argument("backward", loss)
    weights = None if gradient is FALSE else tensor_argument("backward", gradient)
    retain, create = truth(retain_graph), truth(create_graph)
    with naming("backward") as module:
        module.backward(loss, weights, retain, create)
        return UNSPECIFIED


def grad(x: Lisp) -> Lisp:
    tensor_argument("tensor-grad", x)
    with naming("tensor-grad") as module:
        gradient = module.grad(x)
        return FALSE if gradient is None else gradient


def zero_grad(*tensors: Lisp) -> Lisp:
    for x in tensors:
        tensor_argument("zero-grad!", x)
    for x in tensors:
        extension().zero_grad(x)
    return UNSPECIFIED


def detach(x: Lisp) -> Lisp:
    tensor_argument("detach", x)
    with naming("detach") as module:
        return module.detach(x)


def gradients(y: Lisp, xs: Lisp, create_graph: Lisp = FALSE) -> Lisp:
    tensor_argument("gradients", y)
    create = truth(create_graph)
    tensors = [tensor_argument("gradients", x) for x in elements("gradients", xs)]
    with naming("gradients") as module:
        return list_of([FALSE if g is None else g for g in module.gradients(y, tensors, create)])


def set_grad_mode(enabled: bool) -> bool:
    """Switch recording on or off; gives the mode before."""
    return extension().set_grad_mode(enabled)  # type: ignore[no-any-return]


# The library's state.


def checked(name: str, status: int) -> Lisp:
    """The value of a call through cffi, or its failure."""
    lib, ffi = library()
    if status:
        hint = lib.ct_last_hint()
        raise LispError(
            f"{name}: {ffi.string(lib.ct_last_error()).decode()}",
            hint=ffi.string(hint).decode() if hint != ffi.NULL else None,
        )
    return UNSPECIFIED


def manual_seed(seed: Lisp) -> Lisp:
    number = integer_argument("manual-seed", seed)
    return checked("manual-seed", library()[0].ct_manual_seed(number))


def set_num_threads(count: Lisp) -> Lisp:
    name = "set-num-threads"
    if count.__class__ is not int or count < 0:
        wrong_type(name, "a non-negative exact integer", count)
    return checked(name, library()[0].ct_set_num_threads(integer_argument(name, count)))
