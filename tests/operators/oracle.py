"""The outcome of a case in Python's torch, step by step as in driver.lisp."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import torch

from tests.operators.lisp_call import Inexpressible, LispCall, aten_names, lisp_call
from tests.operators.outcome import Outcome, bits_of, fact, tensors_in
from tests.operators.tracing import traced_call
from tests.operators.transport import Layout, layout_of

_MARK = 77  # as mark! writes into results


@dataclass(frozen=True, slots=True)
class Case:
    """A call in both languages.  weights: for each result its weight in the loss or None; empty
    if nothing is differentiated."""

    name: str
    call: LispCall
    layout: Layout
    weights: tuple[torch.Tensor | None, ...]
    expected: Outcome

    @property
    def route(self) -> str:
        """How gradients are computed: half of the cases use `backward`, the others `gradients`."""
        return ("gradients", "backward")[crc32(self.name.encode()) % 2]


Function = Callable[..., Any]


@contextmanager
def quietly() -> Iterator[None]:
    """One thread and no warnings, like the programs."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)


def python_function(name: str) -> Function:
    """The function of Python's torch that is ATen's operator `name`."""
    if name not in aten_names():
        raise LookupError(f"no operator {name}")
    for space in _spaces():
        found = getattr(space, name, None)
        if found is not None and not hasattr(found, "__code__"):
            return found if callable(found) else found.__get__
    return by_schema(name)


def by_schema(name: str) -> Function:
    """The operator, called through its schema."""
    return getattr(torch.ops.aten, name)  # type: ignore[no-any-return]


def _spaces() -> tuple[Any, ...]:
    c = torch._C
    return (c._VariableFunctions, c._nn, c._linalg, c._fft, c._special, torch.Tensor)


def observe(
    name: str, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any],
    gradients: bool = True, aten: str | None = None,
) -> Case:
    """The case of a call, with torch's outcome.  Raises Inexpressible if Lisp has no such call."""
    call = lisp_call(aten, args, kwargs) if aten else traced_call(function, args, kwargs)
    layout = layout_of(call.tensors)
    expected = _called(function, args, kwargs, call, layout)
    case = Case(name, call, layout, (), expected)
    if not gradients or expected.refused is not None:
        return case
    if not any("grad" in v.flags for v in layout.views):
        return case
    return _differentiated(case, function, args, kwargs)


def _with_tensors(value: Any, replacements: dict[int, torch.Tensor]) -> Any:
    """The argument with its tensors replaced."""
    match value:
        case torch.Tensor():
            return replacements[id(value)]
        case torch.Size():
            return value
        case tuple() | list():
            return type(value)(_with_tensors(item, replacements) for item in value)
        case _:
            return value


def _apply(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], call: LispCall,
    inputs: list[torch.Tensor],
) -> Any:
    others = {id(x): y for x, y in zip(call.tensors, inputs, strict=False)}
    torch.manual_seed(0)
    return function(
        *(_with_tensors(a, others) for a in args),
        **{key: _with_tensors(a, others) for key, a in kwargs.items()},
    )


def _called(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], call: LispCall,
    layout: Layout,
) -> Outcome:
    inputs = layout.made(with_grad=False)
    before = [bits_of(x) for x in inputs]
    try:
        result = _apply(function, args, kwargs, call, inputs)
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        return Outcome(refused=str(error) or type(error).__name__)
    if result is NotImplemented:
        return Outcome(refused="not implemented")
    leaves = tuple(tensors_in(result))
    for x in leaves:
        if x.layout is not torch.strided or x.is_quantized:
            raise Inexpressible(f"a result of layout {x.layout}")
    seen = tuple(fact(x, inputs) for x in leaves)
    changed = _changes(inputs, before)
    after = [bits_of(x) for x in inputs]
    facts = tuple(fact(x, []) for x, is_so in zip(inputs, changed, strict=True) if is_so)
    for x in leaves:
        _mark(x)
    return Outcome(None, _outline(result), seen, changed, facts, _changes(inputs, after))


def _changes(inputs: list[torch.Tensor], before: list[torch.Tensor]) -> tuple[bool, ...]:
    return tuple(not torch.equal(bits_of(x), old) for x, old in zip(inputs, before, strict=True))


def _mark(x: torch.Tensor) -> None:
    with suppress(RuntimeError):  # some views cannot be written to
        x.detach().fill_(_MARK)


def _outline(value: Any) -> Any:
    match value:
        case torch.Tensor():
            return "T"
        case None:
            return False
        case tuple() | list():
            return tuple(map(_outline, value))
        case torch.dtype():
            return str(value).removeprefix("torch.")
        case _:
            return value


def _differentiated(
    case: Case, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Case:
    """The case with weights and gradients, if something can be differentiated."""
    inputs = case.layout.made(with_grad=True)
    marked = [x for x in inputs if x.requires_grad]
    try:
        results = list(tensors_in(_apply(function, args, kwargs, case.call, inputs)))
    except RuntimeError:  # leaves must not be written to
        return case
    weights = tuple(_weight(x) if x.requires_grad else None for x in results)
    if not any(w is not None for w in weights):
        return case
    case = replace(case, weights=weights)
    try:
        gradients = _gradients(case.route, _loss(results, weights), marked)
    except (RuntimeError, NotImplementedError) as error:
        return replace(case, expected=replace(case.expected, no_gradients=str(error)))
    facts = tuple(None if g is None else fact(g, []) for g in gradients)
    return replace(case, expected=replace(case.expected, gradients=facts))


def _gradients(
    route: str, loss: torch.Tensor, marked: list[torch.Tensor]
) -> tuple[torch.Tensor | None, ...]:
    if route == "gradients":
        return torch.autograd.grad(loss, marked)
    loss.backward()  # type: ignore[no-untyped-call]
    return tuple(x.grad for x in marked)


def _weight(x: torch.Tensor) -> torch.Tensor:
    real = _real(x.detach())
    generator = torch.Generator().manual_seed(x.numel())
    return (torch.rand(real.shape, generator=generator) + 0.5).to(real.dtype)


def _real(x: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(x.resolve_conj()) if x.is_complex() else x


def _loss(results: list[torch.Tensor], weights: tuple[torch.Tensor | None, ...]) -> torch.Tensor:
    loss: torch.Tensor | None = None
    for x, weight in zip(results, weights, strict=True):
        if weight is None:
            continue
        part = (_real(x) * weight).sum().to(torch.float64)
        loss = part if loss is None else loss + part
    assert loss is not None
    return loss

