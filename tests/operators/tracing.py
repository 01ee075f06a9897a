"""A Python function of torch that calls several operators, as those calls.

    torch.nn.functional.cross_entropy(x, y)
    =>  one step: (tensor-cross-entropy-loss #(0) #(1) #f 1 -100 0.0)

The function runs once; each call of ATen is recorded with the origin of its arguments: inputs,
results of earlier steps, or plain values, which Python code may have computed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from tests.operators.lisp_call import (
    SEED,
    Argument,
    Inexpressible,
    LispCall,
    Result,
    Symbol,
    aten_name,
    aten_names,
    lisp_call,
    said,
)


def traced_call(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> LispCall:
    """The calls that a function makes of operators; raises Inexpressible."""
    if aten_name(function) is not None:
        return lisp_call(function, args, kwargs)
    recorder = _Recorder()
    recorder.know_inputs((*args, *kwargs.values()))
    with torch.no_grad(), _python_functions_run(recorder), recorder:
        result = function(*args, **kwargs)
    return LispCall(tuple(recorder.steps), recorder.said(result), tuple(recorder.tensors))


class _Recorder(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.tensors: list[torch.Tensor] = []
        self.steps: list[tuple[str, tuple[Argument, ...]]] = []
        self._results: dict[int, Result] = {}
        self._kept: list[Any] = []  # so that no id is used twice

    def know_inputs(self, values: Any) -> None:
        for value in values:
            if isinstance(value, tuple | list):
                self.know_inputs(value)
            elif isinstance(value, torch.Tensor):
                self.said(value)

    def said(self, value: Any) -> Argument:
        return said(value, self.tensors, self._results)

    def seed(self, number: int) -> torch.Generator:
        self.steps.append((SEED, (int(number),)))
        return torch.default_generator.manual_seed(number)

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func is torch.Tensor.__getitem__:
            self._part(result, *args)
            return result
        name = aten_name(func) or _hidden_name(func)
        if not any(True for _ in _tensors(result)):
            return result  # a size or a flag, which Python code uses
        if name is None:
            raise Inexpressible(f"{getattr(func, '__name__', func)} inside")
        call = lisp_call(name, args, kwargs, self.tensors, self._results)
        self._keep(result, Result(len(self.steps), ()))
        self.steps.append(call.steps[0])
        return result

    def _part(self, result: torch.Tensor, x: torch.Tensor, index: Any) -> None:
        """x[index]"""
        arguments = (self.said(x), *(self.said(i) for i in part_indices(x, index)))
        self._keep(result, Result(len(self.steps), ()))
        self.steps.append(("ref", arguments))

    def _keep(self, value: Any, origin: Result) -> None:
        if isinstance(value, torch.Tensor) and all(value is not x for x in self.tensors):
            self._results[id(value)] = origin
            self._kept.append(value)
        elif isinstance(value, tuple | list):
            for k, item in enumerate(value):
                self._keep(item, Result(origin.step, (*origin.path, k)))


def part_indices(x: torch.Tensor, index: Any) -> list[Any]:
    """The indices of tensor-ref for Python's index; raises Inexpressible."""
    indices = list(index) if isinstance(index, tuple) else [index]
    positions = [k for k, i in enumerate(indices) if i is Ellipsis]
    for k in positions:
        taken = sum(i.dim() if is_mask(i) else 1 for i in indices) - 1
        indices[k : k + 1] = [slice(None)] * (x.dim() - taken)
    found: list[Any] = []
    for dim, i in enumerate(indices):
        match i:
            case slice() if i == slice(None):
                found.append(Symbol(":all"))
            case slice() if not any(isinstance(j, torch.Tensor) for j in indices):
                found.append(range(*i.indices(x.shape[dim])))
            case bool() | None | slice():
                raise Inexpressible(f"the index {i}")
            case _:
                found.append(i)
    return found


def is_mask(index: Any) -> bool:
    return isinstance(index, torch.Tensor) and index.dtype == torch.bool


def _hidden_name(function: Any) -> str | None:
    """The name of a method in C that a Python method of the same name hides."""
    name = getattr(function, "__name__", "")
    return name if name in aten_names() else None


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _tensors(item)


@contextmanager
def _python_functions_run(recorder: _Recorder) -> Iterator[None]:
    """Makes Python's own functions run: they would ask for overrides and hand the call on.  Seeds
    are steps, too."""
    replacements: list[tuple[ModuleType, str, Any]] = [
        (module, name, lambda *_: False)
        for module in (torch.functional, torch.nn.functional, torch._tensor)
        for name in ("has_torch_function", "has_torch_function_unary",
                     "has_torch_function_variadic")
        if hasattr(module, name)
    ]
    replacements.append((torch, "manual_seed", recorder.seed))
    changed = [(module, name, getattr(module, name)) for module, name, _ in replacements]
    for module, name, value in replacements:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in changed:
            setattr(module, name, value)
