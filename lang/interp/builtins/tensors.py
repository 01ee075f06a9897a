"""Tensors: LibTorch behind Lisp values, loaded by the first operation that needs it.

`ctorch` has a C extension that speaks in the evaluator's own values.  Its `TensorError`s lack the
name of the operation: where the failing call stands in emitted code, `blame.py` puts it there;
functions here that are called with a name of their own do it themselves.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

from lambent.lang.core.arity import arity_message
from lambent.lang.errors import LispError
from lambent.lang.interp import values
from lambent.lang.interp.builtins.data import elements
from lambent.lang.interp.builtins.data import truth as truth_of
from lambent.lang.interp.facts import PRIMITIVE_VALUES
from lambent.lang.interp.faults import shown, wrong_type
from lambent.lang.interp.values import (
    FALSE,
    TRUE,
    UNSPECIFIED,
    Keyword,
    Lisp,
    Pair,
    String,
    Symbol,
    Tensor,
    Vector,
    list_of,
    symbol,
)

_INT64 = range(-(2**63), 2**63)


@cache
def extension() -> ModuleType:
    """The C extension.  The first call loads LibTorch, and may build ctorch before."""
    from lambent.ctorch import extension as load

    module = load()
    # The evaluator's own class of tensors: a Value, and an exact class to compare with.
    tensor_class = type("Tensor", (module.Tensor, Tensor), {"__slots__": ()})
    module.configure(
        tensor=tensor_class,
        true=TRUE,
        false=FALSE,
        nil=values.NIL,
        pair=Pair,
        vector=Vector,
        string=String,
        symbol=Symbol,
        keyword=Keyword,
        shown=shown,
    )
    values.announce_tensors(tensor_class, module.TensorError)
    return module


def is_loaded() -> bool:
    return extension.cache_info().currsize > 0


def library() -> tuple[Any, Any]:
    """ctorch.h as it stands: the library and cffi's view of it."""
    from lambent.ctorch import load

    extension()
    found: tuple[Any, Any] = load()
    return found


@contextmanager
def naming(name: str) -> Iterator[ModuleType]:
    """The extension, whose errors get the name of the procedure that uses it."""
    module = extension()
    try:
        yield module
    except module.TensorError as error:
        raise LispError(f"{name}: {error.message}", hint=error.hint) from None


def _tensor(name: str, x: Lisp) -> Lisp:
    if not isinstance(x, Tensor):
        wrong_type(name, "a tensor", x)
    return x


def _integer(name: str, x: Lisp) -> int:
    if x.__class__ is not int or x not in _INT64:
        wrong_type(name, "an exact integer", x)
    return x  # type: ignore[no-any-return]


def _label(name: str, x: Lisp) -> str:
    """The text of a symbol, a string or a keyword: a dtype, a device."""
    if x.__class__ is String:
        return x.text  # type: ignore[no-any-return]
    if x.__class__ is Symbol or x.__class__ is Keyword:
        return x.name  # type: ignore[no-any-return]
    wrong_type(name, "a symbol", x)


# What other values ask of tensors.


def truth(x: Lisp) -> bool:
    """How a tensor counts in a test."""
    module = extension()
    try:
        return module.truth(x)  # type: ignore[no-any-return]
    except module.TensorError as error:
        raise LispError(error.message, hint=error.hint) from None


def equal_tensors(a: Lisp, b: Lisp) -> bool:
    with naming("equal?") as module:
        return module.equal(a, b)  # type: ignore[no-any-return]


def tensor_text(x: Lisp, write: bool) -> str:
    with naming("write" if write else "display") as module:
        return module.text(x, module.WRITE if write else module.DISPLAY)  # type: ignore[no-any-return]


def repl_text(x: Lisp) -> str:
    """The tensor in rows, with dtype and shape after them."""
    with naming("write") as module:
        return module.text(x, module.REPL)  # type: ignore[no-any-return]


def describe(x: Lisp) -> str:
    return extension().describe(x)  # type: ignore[no-any-return]


def arithmetic(name: str, *operands: Lisp) -> Lisp:
    """A generic procedure such as + or exp, where at least one operand is a tensor."""
    with naming(name) as module:
        return module.arithmetic(name, *operands)


# LibTorch's operators.


def find_operator(name: str) -> Callable[..., Lisp]:
    """An operator by its ATen name: an object that takes Lisp values."""
    module = extension()
    try:
        return module.operator(name)  # type: ignore[no-any-return]
    except module.TensorError as error:
        raise UnknownOperatorError(error.message, hint=error.hint) from None


class UnknownOperatorError(LispError):
    """The operator is not in the installed LibTorch: an error at the name, not at the call."""


def operator_value(lisp_name: str, aten_name: str) -> Callable[..., Lisp]:
    """An operator as a Lisp procedure."""
    find = cache(lambda: find_operator(aten_name))

    def call(*arguments: Lisp) -> Lisp:
        with naming(lisp_name):
            return find()(*arguments)

    PRIMITIVE_VALUES[call] = lisp_name
    return call


# Making and reading.


def tensor(data: Lisp, dtype: Lisp = FALSE, requires_grad: Lisp = FALSE) -> Lisp:
    record = truth_of(requires_grad)
    label = None if dtype is FALSE else _label("tensor", dtype)
    with naming("tensor") as module:
        return module.make(data, label, record)


def literal(shape: tuple[int, ...], items: tuple[Lisp, ...]) -> Lisp:
    """`[[1 2] [3 4]]`"""
    with naming("tensor") as module:
        return module.literal(shape, items)


def tensor_to_list(x: Lisp) -> Lisp:
    _tensor("tensor->list", x)
    with naming("tensor->list") as module:
        return module.to_list(x)


def item(x: Lisp) -> Lisp:
    _tensor("tensor-item", x)
    with naming("tensor-item") as module:
        return module.item(x)


def shape(x: Lisp) -> Lisp:
    return list_of(extension().shape(_tensor("tensor-shape", x)))


def rank(x: Lisp) -> Lisp:
    return extension().rank(_tensor("tensor-rank", x))


def dtype(x: Lisp) -> Symbol:
    return symbol(extension().dtype(_tensor("tensor-dtype", x)))


def device(x: Lisp) -> String:
    return String(extension().device(_tensor("tensor-device", x)))


# Parts and conversions.


def to(x: Lisp, target: Lisp) -> Lisp:
    _tensor("tensor-to", x)
    label = _label("tensor-to", target)
    with naming("tensor-to") as module:
        return module.to(x, label)


def copy(x: Lisp) -> Lisp:
    _tensor("tensor-copy", x)
    with naming("tensor-copy"):
        return find_operator("clone")(x)


def slice_(x: Lisp, dim: Lisp, start: Lisp = 0, end: Lisp = FALSE) -> Lisp:
    name = "tensor-slice"
    _tensor(name, x)
    along, first = _integer(name, dim), _integer(name, start)
    last = None if end is FALSE else _integer(name, end)
    with naming(name) as module:
        return module.slice(x, along, first, last)


def ref(x: Lisp, *indices: Lisp) -> Lisp:
    _tensor("tensor-ref", x)
    with naming("tensor-ref") as module:
        return module.ref(x, *indices)


def set_(x: Lisp, *indices_then_value: Lisp) -> Lisp:
    _tensor("tensor-set!", x)
    if not indices_then_value:
        raise LispError(
            arity_message("tensor-set!", 2, None, 1),
            hint="usage: (tensor-set! x indices-then-value ...)",
        )
    with naming("tensor-set!") as module:
        module.set(x, *indices_then_value)
        return x


# Autograd.


def requires_grad(x: Lisp, on: Lisp = TRUE) -> Lisp:
    _tensor("requires-grad!", x)
    record = truth_of(on)
    with naming("requires-grad!") as module:
        module.requires_grad(x, record)
        return x


def backward(
    loss: Lisp, gradient: Lisp = FALSE, retain_graph: Lisp = FALSE, create_graph: Lisp = FALSE
) -> Lisp:
    _tensor("backward", loss)
    weights = None if gradient is FALSE else _tensor("backward", gradient)
    retain, create = truth_of(retain_graph), truth_of(create_graph)
    with naming("backward") as module:
        module.backward(loss, weights, retain, create)
        return UNSPECIFIED


def grad(x: Lisp) -> Lisp:
    _tensor("tensor-grad", x)
    with naming("tensor-grad") as module:
        gradient = module.grad(x)
        return FALSE if gradient is None else gradient


def zero_grad(*tensors: Lisp) -> Lisp:
    for x in tensors:
        _tensor("zero-grad!", x)
    for x in tensors:
        extension().zero_grad(x)
    return UNSPECIFIED


def detach(x: Lisp) -> Lisp:
    _tensor("detach", x)
    with naming("detach") as module:
        return module.detach(x)


def gradients(y: Lisp, xs: Lisp, create_graph: Lisp = FALSE) -> Lisp:
    _tensor("gradients", y)
    create = truth_of(create_graph)
    tensors = [_tensor("gradients", x) for x in elements("gradients", xs)]
    with naming("gradients") as module:
        return list_of([FALSE if g is None else g for g in module.gradients(y, tensors, create)])


def set_grad_mode(enabled: bool) -> bool:
    """Switch recording on or off; gives the mode before."""
    return extension().set_grad_mode(enabled)  # type: ignore[no-any-return]


# The library's state.


def _checked(name: str, status: int) -> Lisp:
    lib, ffi = library()
    if status:
        hint = lib.ct_last_hint()
        raise LispError(
            f"{name}: {ffi.string(lib.ct_last_error()).decode()}",
            hint=ffi.string(hint).decode() if hint != ffi.NULL else None,
        )
    return UNSPECIFIED


def manual_seed(seed: Lisp) -> Lisp:
    number = _integer("manual-seed", seed)
    return _checked("manual-seed", library()[0].ct_manual_seed(number))


def set_num_threads(count: Lisp) -> Lisp:
    name = "set-num-threads"
    if count.__class__ is not int or count < 0:
        wrong_type(name, "a non-negative exact integer", count)
    return _checked(name, library()[0].ct_set_num_threads(_integer(name, count)))


def memory() -> Lisp:
    """An alist.  What Python has not collected yet is no longer within the program's reach."""
    import gc

    gc.collect()
    lib, _ = library()
    return list_of([
        Pair(symbol("live-handles"), lib.ct_live_handles()),
        Pair(symbol("live-bytes"), lib.ct_live_bytes()),
        Pair(symbol("peak-bytes"), lib.ct_peak_bytes()),
    ])
