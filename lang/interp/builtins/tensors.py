"""Tensors.  The first operation that needs LibTorch loads it.

`ctorch` has a C extension whose functions take and return the interpreter's values.  The messages
of its `TensorError`s lack the name of the operation: `messages.py` adds it for calls in emitted
code, and the functions here add it if they have a Lisp name themselves.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

from lambent.lang.errors import FileFault, LispError
from lambent.lang.interp.builtins.lists import truth as truth_of
from lambent.lang.interp.errors.faults import shown, wrong_type
from lambent.lang.interp.values import values
from lambent.lang.interp.values.repeats import refuse_repeats
from lambent.lang.interp.values.values import (
    FALSE,
    TRUE,
    UNSPECIFIED,
    Foreign,
    HashTable,
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
    """The C extension.  The first call loads LibTorch, and may build ctorch first."""
    from lambent.ctorch import extension as load
    from lambent.lang.interp.embed.array_tensor import ArrayTensor

    module = load()
    # The interpreter's class of tensors: a Value, and the exact class of every tensor.
    tensor_class = type("Tensor", (module.Tensor, ArrayTensor), {"__slots__": ()})
    foreign_class = type("Foreign", (module.Foreign, Foreign), {"__slots__": ()})
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
        unspecified=UNSPECIFIED,
        shown=shown,
        intern=symbol,
        foreign=foreign_class,
        hash_table=HashTable,
        make_table=_table,
        refuse_repeats=refuse_repeats,
        enter_python=values.enter_python,
    )
    values.announce_tensors(tensor_class, module.TensorError)
    if memory := sys.modules.get("lambent.lang.interp.builtins.memory"):
        from lambent.ctorch import load as load_library

        memory.COLLECTED.watch(load_library()[0].ct_live_handles)
    if reports := sys.modules.get("lambent.lang.interp.reports"):
        from lambent.ctorch import load as load_library

        reports.begin(*load_library())
    return module


def _table(pairs: list[tuple[Lisp, Lisp]]) -> HashTable:
    """A hash table of keys and values."""
    from lambent.lang.interp.builtins.hashes import hash_set, make_hash_table

    table = make_hash_table()
    for key, value in pairs:
        hash_set(table, key, value)
    return table


def is_loaded() -> bool:
    return extension.cache_info().currsize > 0


def library() -> tuple[Any, Any]:
    """The functions of ctorch.h: the library, and cffi."""
    from lambent.ctorch import load

    extension()
    found: tuple[Any, Any] = load()
    return found


def named(name: str, error: Any) -> LispError:
    """The LispError for a TensorError, with the name of the procedure."""
    return LispError(f"{name}: {error.message}", hint=error.hint)


@contextmanager
def naming(name: str) -> Iterator[ModuleType]:
    """The extension; its errors get the name of the procedure that uses it.

    Functions that are called in loops have their own `try` instead, which costs nothing.
    """
    module = extension()
    try:
        yield module
    except module.TensorError as error:
        raise named(name, error) from None


def tensor_argument(name: str, x: Lisp) -> Lisp:
    if not isinstance(x, Tensor):
        wrong_type(name, "a tensor", x)
    return x


def integer_argument(name: str, x: Lisp) -> int:
    if x.__class__ is not int or x not in _INT64:
        wrong_type(name, "an exact integer", x)
    return x


def label(name: str, noun: str, x: Lisp) -> str | None:
    """The text of a symbol or a string: a dtype, a device; None for #f."""
    if x is FALSE:
        return None
    text = x.text if x.__class__ is String else x.name if x.__class__ is Symbol else "\0"
    return wrong_type(name, noun, x) if "\0" in text else text


# Operations of other modules on tensors.


def truth(x: Lisp) -> bool:
    """Whether a tensor is true in a test."""
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
    """The tensor in rows, followed by dtype and shape."""
    with naming("write") as module:
        return module.text(x, module.REPL)  # type: ignore[no-any-return]


def describe(x: Lisp) -> str:
    return extension().describe(x)  # type: ignore[no-any-return]


def arithmetic(name: str, *operands: Lisp) -> Lisp:
    """The result of a generic procedure such as + or exp, if an operand is a tensor."""
    module = extension()
    try:
        return module.arithmetic(name, *operands)
    except module.TensorError as error:
        raise named(name, error) from None


def procedure(name: Lisp, *arguments: Lisp) -> Lisp:
    """Call one of ctorch's own procedures by its Lisp name."""
    module = extension()
    if name.text == "train-tokenizer":  # a Python with the package sentencepiece does it
        os.environ.setdefault("LAMBENT_PYTHON", sys.executable)
    try:
        return module.procedure(name.text, *arguments)
    except module.TensorError as error:
        fault = FileFault if module.failed_at_file() else LispError
        raise fault(f"{name.text}: {error.message}", hint=error.hint) from None


# LibTorch's operators.


def find_operator(name: str, reuses: bool = False) -> Callable[..., Lisp]:
    """An operator by its ATen name: an object that takes Lisp values.

    reuses: the first argument is the result of another call, which the caller passes on directly.
    So if there is no other reference to it, the result may reuse its storage.
    """
    module = extension()
    try:
        return module.operator(name, reuses)  # type: ignore[no-any-return]
    except module.TensorError as error:
        raise UnknownOperatorError(error.message, hint=error.hint) from None


class UnknownOperatorError(LispError):
    """The installed LibTorch has no such operator: an error at the name, not at the call."""


# Creating and reading.


def tensor(
    data: Lisp, dtype: Lisp = FALSE, requires_grad: Lisp = FALSE, device: Lisp = FALSE
) -> Lisp:
    record = truth_of(requires_grad)
    element_type = label("tensor", "a dtype", dtype)
    device_name = label("tensor", "a device", device)
    with naming("tensor") as module:
        return module.make(data, element_type, device_name, record)


def literal(shape: tuple[int, ...], items: tuple[Lisp, ...]) -> Lisp:
    """`[[1 2] [3 4]]`"""
    with naming("tensor") as module:
        return module.literal(shape, items)


def tensor_to_list(x: Lisp) -> Lisp:
    tensor_argument("tensor->list", x)
    with naming("tensor->list") as module:
        return module.to_list(x)


def item(x: Lisp) -> Lisp:
    tensor_argument("tensor-item", x)
    module = extension()
    try:
        return module.item(x)
    except module.TensorError as error:
        raise named("tensor-item", error) from None


def shape(x: Lisp) -> Lisp:
    return list_of(extension().shape(tensor_argument("tensor-shape", x)))


def rank(x: Lisp) -> Lisp:
    return extension().rank(tensor_argument("tensor-rank", x))


def dtype(x: Lisp) -> Symbol:
    return symbol(extension().dtype(tensor_argument("tensor-dtype", x)))


def device(x: Lisp) -> String:
    return String(extension().device(tensor_argument("tensor-device", x)))


# Elements, slices and conversions.


def to(x: Lisp, *targets: Lisp) -> Lisp:
    tensor_argument("tensor-to", x)
    with naming("tensor-to") as module:
        return module.to(x, *targets)


def copy(x: Lisp) -> Lisp:
    tensor_argument("tensor-copy", x)
    with naming("tensor-copy"):
        return find_operator("clone")(x)


def slice_(
    x: Lisp, dim: Lisp, start: Lisp = 0, end: Lisp = FALSE, step: Lisp = 1
) -> Lisp:
    module = extension()
    try:
        return module.slice(x, dim, start, end, step)
    except module.TensorError as error:
        raise named("tensor-slice", error) from None
    except (TypeError, OverflowError):
        return _checked_slice(x, dim, start, end, step)


def _checked_slice(x: Lisp, dim: Lisp, start: Lisp, end: Lisp, step: Lisp) -> Lisp:
    """The same if an argument is #f, or of a wrong type."""
    name = "tensor-slice"
    tensor_argument(name, x)
    along = integer_argument(name, dim)
    first = 0 if start is FALSE else integer_argument(name, start)
    last = None if end is FALSE else integer_argument(name, end)
    by = integer_argument(name, step)
    with naming(name) as module:
        return module.slice(x, along, first, last, by)


def ref(x: Lisp, *indices: Lisp) -> Lisp:
    module = extension()
    try:
        return module.ref(x, *indices)
    except module.TensorError as error:
        raise named("tensor-ref", error) from None
    except TypeError:
        tensor_argument("tensor-ref", x)
        raise


def set_(x: Lisp, *indices_then_value: Lisp) -> Lisp:
    tensor_argument("tensor-set!", x)
    if not indices_then_value:
        raise LispError(
            "tensor-set!: expected at least 2 arguments, got 1",
            hint="usage: (tensor-set! x indices-then-value ...)",
        )
    module = extension()
    try:
        module.set(x, *indices_then_value)
    except module.TensorError as error:
        raise named("tensor-set!", error) from None
    return x
