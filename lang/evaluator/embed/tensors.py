"""Tensors between Lisp that runs on the evaluator and Python: objects of the extension's own class.

Their handles are counted by Lisp alone, which runs without CPython's lock: so an object that Python
drops leaves its handle to the next job, and what makes handles for Python is a job, too.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from lambent.lang.errors import LispError
from lambent.lang.evaluator.embed.library import machine
from lambent.lang.interp.embed.array_tensor import ArrayTensor
from lambent.lang.interp.values.values import NUMERIC

_ARITHMETIC = (
    "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
    "__rtruediv__", "__neg__", "__copy__", "__lt__", "__le__", "__gt__", "__ge__", "__dlpack__",
    "__repr__", "item", "tolist",
)  # fmt: skip


@cache
def _extension() -> ModuleType:
    from lambent.lang.interp.builtins.tensors import extension

    lib = machine().lib
    module = extension()
    if not lib.rt_guest_load_tensors():
        raise LispError("tensors are not available")
    module.drop_with(lib.rt_guest_drop_handle)
    (tensor_class,) = [each for each in NUMERIC if issubclass(each, ArrayTensor)]
    for name in _ARITHMETIC:
        _make_job(tensor_class, name)
    return module


def _make_job(tensor_class: type, name: str) -> None:
    """Let a method of tensors run as a job: it makes handles, or asks LibTorch."""
    method: Callable[..., Any] = getattr(tensor_class, name)

    def as_job(*arguments: Any, **named: Any) -> Any:
        from lambent.lang.evaluator.embed.session import in_some_session

        return in_some_session(lambda: method(*arguments, **named))

    as_job.__name__ = name
    setattr(tensor_class, name, as_job)


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of Lisp's; a subclass of a user's is not."""
    return isinstance(value, ArrayTensor) and value.__class__ in NUMERIC


def word_of_tensor(tensor: Any) -> int:
    """The word of a tensor, owned."""
    lib = machine().lib
    return int(lib.rt_guest_dup(lib.rt_guest_of_handle(_extension().handle(tensor))))


def tensor_of(word: int) -> Any:
    """The object for a tensor, whose word it takes over."""
    return _extension().adopt(machine().lib.rt_guest_handle(word))


def shared(array: Any) -> int:
    """The word, owned, of a tensor on an array's memory; a LispError if it cannot be shared."""
    try:
        tensor = _extension().from_dlpack(array)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise LispError(f"a {type(array).__name__} cannot be shared: {error}") from None
    return word_of_tensor(tensor)
