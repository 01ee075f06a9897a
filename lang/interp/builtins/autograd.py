"""Gradients, and the state of LibTorch: seed, threads."""

from lambent.lang.errors import LispError
from lambent.lang.interp.builtins.arguments import elements
from lambent.lang.interp.builtins.lists import truth
from lambent.lang.interp.builtins.tensors import (
    extension,
    integer_argument,
    library,
    named,
    naming,
    tensor_argument,
)
from lambent.lang.interp.errors.caught import catch, rethrow
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.interrupts.masking import interrupts_masked
from lambent.lang.interp.values.values import (
    FALSE,
    TAIL,
    TRUE,
    UNSPECIFIED,
    Boolean,
    Lisp,
    Pair,
    boolean,
    list_of,
    run_trampoline,
)

# Recording.


def requires_grad(x: Lisp, on: Lisp = TRUE) -> Lisp:
    tensor_argument("requires-grad!", x)
    record = truth(on)
    with naming("requires-grad!") as module:
        module.requires_grad(x, record)
        return x


def is_recorded(x: Lisp) -> Boolean:
    return boolean(extension().is_recorded(tensor_argument("requires-grad?", x)))


def is_leaf(x: Lisp) -> Boolean:
    return boolean(extension().is_leaf(tensor_argument("tensor-leaf?", x)))


def retain_grad(x: Lisp) -> Lisp:
    tensor_argument("retain-grad!", x)
    with naming("retain-grad!") as module:
        module.retain_grad(x)
        return x


def detach(x: Lisp) -> Lisp:
    tensor_argument("detach", x)
    with naming("detach") as module:
        return module.detach(x)


def grad_mode() -> Boolean:
    return boolean(extension().grad_mode())


# Taking gradients.


def backward(
    loss: Lisp, gradient: Lisp = FALSE, retain_graph: Lisp = FALSE, create_graph: Lisp = FALSE
) -> Lisp:
    tensor_argument("backward", loss)
    weights = None if gradient is FALSE else tensor_argument("backward", gradient)
    retain, create = truth(retain_graph), truth(create_graph)
    with naming("backward") as module:
        module.backward(loss, weights, retain, create)
        while not module.exchange_gradients():
            pass  # each iteration waits for a moment; in between Ctrl-C ends the loop
        return UNSPECIFIED


def detect_anomaly(on: Lisp) -> Lisp:
    extension().detect_anomaly(truth(on))
    return UNSPECIFIED


def grad(x: Lisp) -> Lisp:
    tensor_argument("tensor-grad", x)
    module = extension()
    try:
        gradient = module.grad(x)
    except module.TensorError as error:
        raise named("tensor-grad", error) from None
    return FALSE if gradient is None else gradient


def zero_grad(*tensors: Lisp) -> Lisp:
    for x in tensors:
        tensor_argument("zero-grad!", x)
    for x in tensors:
        extension().zero_grad(x)
    return UNSPECIFIED


def gradients(
    y: Lisp,
    xs: Lisp,
    grad_outputs: Lisp = FALSE,
    create_graph: Lisp = FALSE,
    retain_graph: Lisp = FALSE,
    allow_unused: Lisp = FALSE,
) -> Lisp:
    ys = _one_or_several(y)
    inputs = _tensors(xs)
    weights = [] if grad_outputs is FALSE else _one_or_several(grad_outputs)
    if weights and len(weights) != len(ys):
        raise LispError(f"gradients: expected {len(ys)} :grad-outputs, got {len(weights)}")
    create, retain, allow = truth(create_graph), truth(retain_graph), truth(allow_unused)
    with naming("gradients") as module:
        return _list_of(module.gradients(ys, weights, inputs, retain, create, allow))


def needs_others(ys: Lisp, xs: Lisp) -> Boolean:
    with naming("gradients") as module:
        return boolean(module.needs_others(_tensors(ys), _tensors(xs)))


def _one_or_several(x: Lisp) -> list[Lisp]:
    return _tensors(x) if x.__class__ is Pair else [tensor_argument("gradients", x)]


def _tensors(items: Lisp, name: str = "gradients") -> list[Lisp]:
    return [tensor_argument(name, x) for x in elements(name, items)]


def _or_false(x: Lisp | None) -> Lisp:
    return FALSE if x is None else x


def _list_of(tensors: list[Lisp | None]) -> Lisp:
    return list_of([_or_false(x) for x in tensors])


# Gradient procedures.


def custom_gradient(inputs: Lisp, results: Lisp, pull: Lisp) -> Lisp:
    """The results, recorded so that LibTorch calls `pull` for their gradients."""

    def answer(gradients: list[Lisp], xs: list[Lisp], ys: list[Lisp]) -> list[Lisp | None]:
        try:
            answers = pull(list_of(gradients), list_of(xs), list_of(ys))
            if answers is TAIL:
                answers = run_trampoline()
        except BaseException as failure:  # all that can happen in Lisp
            caught = catch(failure)
        else:
            return [None if x is FALSE else x for x in elements(name, answers)]
        # Rethrown unchanged: it keeps its location and name, not those of `backward`.
        raise rethrow(caught)

    name = "custom-gradient"
    with naming(name) as module:
        return _list_of(
            module.custom_gradient(_tensors(inputs, name), _tensors(results, name), answer)
        )


@interrupts_masked
def set_grad_mode(enabled: bool) -> bool:
    """Switch recording on or off; returns the mode before."""
    return extension().set_grad_mode(enabled)  # type: ignore[no-any-return]


# LibTorch's state.


def checked(name: str, status: int) -> Lisp:
    """Raise the error of a call through cffi, if its status says that it failed."""
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
