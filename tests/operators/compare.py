"""The differences between an outcome in Lisp and the oracle's."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from tests.operators.outcome import Outcome, TensorFact


@dataclass(frozen=True, slots=True)
class Closeness:
    """How near elements must be.  values: whether they are compared (those of `empty` are not)."""

    relative: float = 0.0
    absolute: float = 0.0
    values: bool = True


EXACT = Closeness()


def differences(
    expected: Outcome, got: Outcome | None, close: Closeness = EXACT
) -> list[str]:
    """The differences.  Messages of refusals are not compared."""
    if got is None:
        return ["the program ended before it"]
    if expected.refused is not None or got.refused is not None:
        if expected.refused is not None and got.refused is not None:
            return []
        return [f"refused: {got.refused!r} instead of {expected.refused!r}"]
    return [*_call(expected, got, close), *_gradients(expected, got, close)]


def _call(expected: Outcome, got: Outcome, close: Closeness) -> Iterator[str]:
    if not _same_data(expected.result, got.result, close):
        yield f"result {got.result} instead of {expected.result}"
        return
    for k, (want, have) in enumerate(zip(expected.leaves, got.leaves, strict=True)):
        yield from _tensor(f"result {k}", want, have, close)
    for what in ("changed", "shared"):
        want, have = getattr(expected, what), getattr(got, what)
        if want != have and close.values:
            yield f"{what}: {have} instead of {want}"
    if expected.changed == got.changed:
        for k, (want, have) in enumerate(zip(expected.inputs, got.inputs, strict=True)):
            yield from _tensor(f"input {k}", want, have, close)


def _gradients(expected: Outcome, got: Outcome, close: Closeness) -> Iterator[str]:
    if expected.no_gradients is not None or got.no_gradients is not None:
        if (expected.no_gradients is None) != (got.no_gradients is None):
            yield f"no gradients: {got.no_gradients!r} instead of {expected.no_gradients!r}"
        return
    want, have = expected.gradients or (), got.gradients or ()
    if len(want) != len(have):
        yield f"{len(have)} gradients instead of {len(want)}"
        return
    for k, (one, other) in enumerate(zip(want, have, strict=True)):
        if one is None or other is None:
            if one is not other:
                yield f"gradient {k}: {other} instead of {one}"
        else:
            yield from _tensor(f"gradient {k}", one, other, close)


def _tensor(what: str, want: TensorFact, have: TensorFact, close: Closeness) -> Iterator[str]:
    for name in ("dtype", "shape", "strides", "same_as"):
        one, other = getattr(want, name), getattr(have, name)
        if one != other and not (name == "strides" and 0 in want.shape):
            yield f"{what}: {name} {other} instead of {one}"
            return
    if close.values and want.bits != have.bits and not _near(want, have, close):
        yield f"{what}: {_values(have)} instead of {_values(want)}"


def _values(fact: TensorFact) -> torch.Tensor:
    """The elements, made of their bits."""
    dtype = getattr(torch, fact.dtype.replace("-", "_"))
    real = dtype.to_real() if dtype.is_complex else dtype
    width = torch.empty(0, dtype=real).element_size()
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[width]
    return torch.tensor(fact.bits, dtype=integers).view(real)


def _near(want: TensorFact, have: TensorFact, close: Closeness) -> bool:
    one, other = _values(want), _values(have)
    if not one.dtype.is_floating_point:
        return False
    return torch.allclose(one.double(), other.double(), close.relative, close.absolute,
                          equal_nan=True)


def _same_data(want: Any, have: Any, close: Closeness) -> bool:
    if isinstance(want, tuple) and isinstance(have, tuple):
        return len(want) == len(have) and all(
            _same_data(a, b, close) for a, b in zip(want, have, strict=True)
        )
    if isinstance(want, float) and isinstance(have, float):
        return want == have or (math.isnan(want) and math.isnan(have)) or math.isclose(
            want, have, rel_tol=close.relative, abs_tol=close.absolute)
    return type(want) is type(have) and bool(want == have)
