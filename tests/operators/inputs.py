"""The language in which the tables write their arguments: seeded tensors, and bundles of cases.

    f32(2, 3)        random float32s from -2 to 2, in the graph; a(2, 3) leaves them out of it
    i64(4, lo=0, hi=3), u8(4), b8(2, 2), f16(3), bf16(3), c64(2)
    t([1, 2])        just these; t([0.5], T.float64)
    T                Python's torch
"""

from collections.abc import Callable
from typing import Any

import torch

Maker = Callable[..., torch.Tensor]


def namespace(seed: int) -> dict[str, Any]:
    """The names of the tables' language; tensors come from a seeded generator."""
    generator = torch.Generator().manual_seed(seed)
    names: dict[str, Any] = {
        name: _floats(dtype, generator)
        for name, dtype in (("f32", torch.float32), ("f64", torch.float64), ("f16", torch.float16),
                            ("bf16", torch.bfloat16), ("c64", torch.complex64),
                            ("c128", torch.complex128))
    }
    for name, dtype, low, high in (
        ("i64", torch.int64, -5, 6), ("i32", torch.int32, -5, 6), ("i16", torch.int16, -5, 6),
        ("i8", torch.int8, -5, 6), ("u8", torch.uint8, 0, 9),
    ):
        names[name] = _integers(dtype, low, high, generator)
    names["b8"] = lambda *shape: torch.rand(shape, generator=generator) > 0.5
    names["a"] = lambda *shape, **options: names["f32"](*shape, grad=False, **options)
    names["t"] = torch.tensor
    names["T"] = torch
    names["spd"] = lambda n: _positive_definite(names["f64"](n, n, grad=False))
    names["inf"], names["nan"] = float("inf"), float("nan")
    return names


def _floats(dtype: torch.dtype, generator: torch.Generator) -> Maker:
    def make(*shape: int, lo: float = -2.0, hi: float = 2.0, grad: bool = True) -> torch.Tensor:
        exact = torch.complex128 if dtype.is_complex else torch.float64
        x = torch.rand(shape, dtype=exact, generator=generator) * (hi - lo)
        x = x + (complex(lo, lo) if dtype.is_complex else lo)
        return x.to(dtype).requires_grad_(grad)

    return make


def _integers(
    dtype: torch.dtype, low: int, high: int, generator: torch.Generator
) -> Maker:
    def make(*shape: int, lo: int = low, hi: int = high) -> torch.Tensor:
        return torch.randint(lo, hi, shape, dtype=dtype, generator=generator)

    return make


def _positive_definite(x: torch.Tensor) -> torch.Tensor:
    return (x @ x.mT + x.shape[-1] * torch.eye(x.shape[-1], dtype=x.dtype)).requires_grad_()


# Bundles: lists of cases.  A table writes *real() for all of one.


def real(lo: float = -2.0, hi: float = 2.0, then: str = "") -> list[str]:
    """One real operand in all its shapes and dtypes, `then` after it."""
    span = f"lo={lo}, hi={hi}"
    return [
        f"{x}{then}"
        for x in (
            f"f32(2, 3, {span})", f"f64(3, 4, {span}).t()", f"f32(4, 6, {span})[::2, 1::2]",
            f"f32({span})", f"f64(0, 3, {span})", f"f32(3, 1, {span}).expand(3, 4)",
            f"f16(5, {span})", f"bf16(5, {span})", f"f32(2, 1, 3, 2, {span})",
        )
    ]


def whole(then: str = "") -> list[str]:
    """One operand of integers or booleans."""
    return [f"{x}{then}" for x in ("i64(2, 3)", "i32(4).flip(0)", "u8(3, 2).t()", "b8(4)",
                                   "i16(0)", "i8()")]


def complexes(then: str = "") -> list[str]:
    return [f"{x}{then}" for x in ("c64(2, 3)", "c128(3).conj()", "c64(0)", "c64(4)[::2].imag")]


def pairs(lo: float = -2.0, hi: float = 2.0) -> list[str]:
    """Two real operands: broadcast, strided, of unlike dtypes, with numbers."""
    span = f"lo={lo}, hi={hi}"
    return [
        f"f32(2, 3, {span}), f32(2, 3, {span})", f"f32(2, 1, {span}), f64(3, {span})",
        f"f64(3, 4, {span}).t(), f64(4, 3, {span})", f"f32(0, 3, {span}), f32(1, 3, {span})",
        f"f32({span}), f32(2, {span})", f"f16(4, {span}), f16(4, {span})",
        f"bf16(3, {span}), f32(3, {span})",
        f"f32(2, 3, 1, {span}), f32(4, {span})[1:].view(1, 3, 1)",
    ]


def whole_pairs() -> list[str]:
    return ["i64(2, 3), i64(2, 3, lo=1)", "i32(3), i64(2, 1, lo=1)", "u8(4), u8(4, lo=1)",
            "i64(3, 2).t(), i8(2, 1, lo=1)", "i16(0), i16(0)"]


BUNDLES: dict[str, Any] = {"real": real, "whole": whole, "complexes": complexes, "pairs": pairs,
                           "whole_pairs": whole_pairs}
