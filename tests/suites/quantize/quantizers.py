"""Weights quantised by the methods of other programs, written from the definitions of their files.

    gptq(4, 32)(random, weight)  =>  {"qweight": ..., "scales": ...}, the floats that they stand for

A quantiser makes integers, scales and zeros at random, near a matrix of floats, and packs them bit
by bit; the floats follow from the integers, not from what was packed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

Tensors = dict[str, torch.Tensor]
Quantizer = Callable[[np.random.Generator, torch.Tensor], tuple[Tensors, torch.Tensor]]

NF4 = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
       -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
       0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
       0.7229568362236023, 1.0]
FP4 = [0.0, 0.0052083333, 0.6666667, 1.0, 0.3333333, 0.5, 0.16666667, 0.25,
       0.0, -0.0052083333, -0.6666667, -1.0, -0.3333333, -0.5, -0.16666667, -0.25]
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


def packed(values: np.ndarray, bits: int) -> torch.Tensor:
    """Rows of integers as 32-bit words, lowest bits first: a stream of bits."""
    rows = []
    for row in values.astype(object):
        stream = sum(int(value) << (bits * place) for place, value in enumerate(row))
        words = -(-len(row) * bits // 32)
        rows.append([(stream >> (32 * word)) & 0xFFFFFFFF for word in range(words)])
    return torch.from_numpy(np.array(rows, dtype=np.uint32).view(np.int32))


def grid(random: np.random.Generator, weight: torch.Tensor, bits: int, size: int,
         symmetric: bool) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Integers [out, in], float16 scales and zeros [out, groups] near a weight."""
    rows, columns = weight.shape
    groups = weight.reshape(rows, -1, size)
    scale = (groups.abs().amax(2) / (2 ** (bits - 1) - 0.5)).half()
    middle = 2 ** (bits - 1)
    zero = torch.full(scale.shape, middle)
    if not symmetric:
        zero = torch.from_numpy(random.integers(0, 2**bits, tuple(scale.shape)))
    q = torch.round(groups / scale.float()[:, :, None]) + zero[:, :, None]
    return q.clamp(0, 2**bits - 1).to(torch.int64).reshape(rows, columns), scale, zero


def spread(x: torch.Tensor, size: int) -> torch.Tensor:
    return x.repeat_interleave(size, 1)


def gptq(bits: int, group: int = 0, symmetric: bool = False, version: int = 1,
         by_order: bool = False) -> Quantizer:
    def quantize(random: np.random.Generator, weight: torch.Tensor) -> tuple[Tensors, torch.Tensor]:
        columns = weight.shape[1]
        size = group or columns
        q, scale, zero = grid(random, weight, bits, size, symmetric)
        if version == 1:
            zero[0, 0] = 0  # is stored as -1
        order = torch.arange(columns) // size
        if by_order:
            order = order[torch.from_numpy(random.permutation(columns))]
        floats = (q - zero[:, order]).float() * scale.float()[:, order]
        stored = (zero - 1) % 2**bits if version == 1 else zero
        return {
            ".qweight": packed(q.numpy(), bits).T.contiguous(),
            ".qzeros": packed(stored.T.numpy(), bits),
            ".scales": scale.T.contiguous(),
            ".g_idx": order.to(torch.int32),
        }, floats
    return quantize


def awq(group: int) -> Quantizer:
    def columns_packed(x: torch.Tensor) -> torch.Tensor:
        order = [0, 2, 4, 6, 1, 3, 5, 7]
        return packed(x.numpy().reshape(len(x), -1, 8)[:, :, order].reshape(len(x), -1), 4)

    def quantize(random: np.random.Generator, weight: torch.Tensor) -> tuple[Tensors, torch.Tensor]:
        q, scale, zero = grid(random, weight, 4, group, False)
        floats = (q - spread(zero, group)).float() * spread(scale.float(), group)
        return {".qweight": columns_packed(q.T), ".qzeros": columns_packed(zero.T),
                ".scales": scale.T.contiguous()}, floats
    return quantize


def int8_rows(random: np.random.Generator, weight: torch.Tensor) -> tuple[Tensors, torch.Tensor]:
    """bitsandbytes' 8 bits."""
    most = weight.abs().amax(1)
    q = torch.round(weight * 127 / most[:, None]).to(torch.int8)
    return {".weight": q, ".SCB": most, ".weight_format": torch.tensor(0, dtype=torch.uint8)}, (
        q.float() * most[:, None] * 7.874015718698502e-3)


def codes(name: str, size: int, nested: bool = False) -> Quantizer:
    """bitsandbytes' 4 bits, whose blocks are of the flat weight."""
    import json

    table = torch.tensor(NF4 if name == "nf4" else FP4)

    def quantize(random: np.random.Generator, weight: torch.Tensor) -> tuple[Tensors, torch.Tensor]:
        flat = weight.flatten()
        count = -(-len(flat) // size)
        padded = torch.nn.functional.pad(flat, (0, count * size - len(flat))).reshape(count, size)
        scale = padded.abs().amax(1)
        q = (padded / scale[:, None])[:, :, None].sub(table).abs().argmin(2).flatten()[: len(flat)]
        state: dict[str, Any] = {"quant_type": name, "blocksize": size, "dtype": "float32",
                                 "shape": list(weight.shape)}
        tensors = {}
        if nested:
            steps = torch.linspace(-1, 1, 256)
            index = torch.from_numpy(random.integers(100, 256, count)).to(torch.uint8)
            outer = torch.from_numpy(random.uniform(0.1, 0.3, -(-count // 256))).float()
            state |= {"nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": 0.3125}
            tensors = {".weight.nested_absmax": outer, ".weight.nested_quant_map": steps,
                       ".weight.absmax": index}
            scale = steps[index.long()] * outer.repeat_interleave(256)[:count] + 0.3125
        else:
            tensors = {".weight.absmax": scale}
        pairs = q.reshape(-1, 2)
        text = torch.tensor(list(json.dumps(state).encode()), dtype=torch.uint8)
        tensors |= {
            ".weight": (pairs[:, 0] * 16 + pairs[:, 1]).to(torch.uint8)[:, None],
            ".weight.quant_map": table,
            f".weight.quant_state.bitsandbytes__{name}": text}
        floats = table[q] * scale.repeat_interleave(size)[: len(flat)]
        return tensors, floats.reshape(weight.shape)
    return quantize


def float8(kind: str, dtype: torch.dtype = torch.float8_e4m3fn) -> Quantizer:
    """8-bit floats with a scale for blocks of 128 x 128, each row, or the whole."""
    def quantize(random: np.random.Generator, weight: torch.Tensor) -> tuple[Tensors, torch.Tensor]:
        rows, columns = weight.shape
        q = (weight * 100).to(dtype)
        if kind == "block":
            scale = torch.from_numpy(
                random.uniform(0.005, 0.02, (-(-rows // 128), -(-columns // 128)))).float()
            wide = scale.repeat_interleave(128, 0)[:rows].repeat_interleave(128, 1)[:, :columns]
            return {".weight": q, ".weight_scale_inv": scale}, q.float() * wide
        size = (rows, 1) if kind == "row" else (1,)
        scale = torch.from_numpy(random.uniform(0.005, 0.02, size)).to(torch.bfloat16)
        return {".weight": q, ".weight_scale": scale}, q.float() * scale.float()
    return quantize


def integers(bits: int, group: int = 0, symmetric: bool = True, dense: bool = False) -> Quantizer:
    """compressed-tensors' integers, in words unless they are `dense`: int8 as they are."""
    def quantize(random: np.random.Generator, weight: torch.Tensor) -> tuple[Tensors, torch.Tensor]:
        size = group or weight.shape[1]
        q, scale, zero = grid(random, weight, bits, size, symmetric)
        scale = scale.bfloat16()
        middle = 2 ** (bits - 1)
        floats = (q - spread(zero, size)).float() * spread(scale.float(), size)
        tensors: Tensors = {".weight_scale": scale}
        if dense:
            tensors[".weight"] = (q - middle).to(torch.int8)
            if not symmetric:
                tensors[".weight_zero_point"] = (zero - middle).to(torch.int8)
        else:
            tensors[".weight_packed"] = packed(q.numpy(), bits)
            tensors[".weight_shape"] = torch.tensor(weight.shape)
            if not symmetric:
                tensors[".weight_zero_point"] = packed(zero.T.numpy(), bits).T.contiguous()
        return tensors, floats
    return quantize


def float4(exponents: bool) -> Quantizer:
    """compressed-tensors' 4-bit floats: mxfp4, whose scales are exponents, or nvfp4."""
    table = torch.tensor([*E2M1, *(-x for x in E2M1)])

    def quantize(random: np.random.Generator, weight: torch.Tensor) -> tuple[Tensors, torch.Tensor]:
        rows, columns = weight.shape
        size = 32 if exponents else 16
        q = torch.from_numpy(random.integers(0, 16, (rows, columns)))
        pairs = q.reshape(rows, -1, 2)
        tensors = {".weight_packed": (pairs[:, :, 0] + 16 * pairs[:, :, 1]).to(torch.uint8)}
        shape = (rows, columns // size)
        if exponents:
            powers = torch.from_numpy(random.integers(120, 125, shape)).to(torch.uint8)
            tensors[".weight_scale"] = powers
            scale = torch.tensor(2.0) ** (powers.float() - 127)
        else:
            eight = torch.from_numpy(random.uniform(1, 100, shape)).to(torch.float8_e4m3fn)
            tensors |= {".weight_scale": eight, ".weight_global_scale": torch.tensor([900.0])}
            scale = eight.float() / 900.0
        return tensors, table[q] * spread(scale, size)
    return quantize


def torchao(kind: str, bits: int = 8, group: int = 0, symmetric: bool = True) -> Quantizer:
    """torchao's tensors, by the class that its metadata names."""
    def quantize(random: np.random.Generator, weight: torch.Tensor) -> tuple[Tensors, torch.Tensor]:
        columns = weight.shape[1]
        start = "._weight_"
        if kind == "Float8Tensor":
            q = (weight * 100).to(torch.float8_e4m3fn)
            scale = torch.from_numpy(random.uniform(0.005, 0.02, (len(weight), 1))).float()
            return {f"{start}qdata": q, f"{start}scale": scale}, q.float() * scale
        q, scale, zero = grid(random, weight, bits, group or columns, symmetric)
        middle = 2 ** (bits - 1)
        if kind == "Int4Tensor":
            pairs = q.reshape(len(q), -1, 2) - middle
            least = torch.from_numpy(random.uniform(-0.1, 0.1, tuple(scale.shape))).bfloat16()
            return {
                f"{start}qdata": (pairs[:, :, 0] & 15 | pairs[:, :, 1] << 4).to(torch.int8),
                f"{start}scale": scale.bfloat16().T.contiguous(),
                f"{start}zero_point": least.T.contiguous(),
            }, (q - middle).float() * spread(scale.bfloat16().float(), group) + spread(
                least.float(), group)
        if not group:  # one scale for all
            scale = scale[:1].float()
            zero = zero[:1]
        floats = (q - spread(zero, columns // scale.shape[1])).float() * spread(
            scale.float(), columns // scale.shape[1])
        parts = {f"{start}qdata": (q - middle).to(torch.int8), f"{start}scale": scale,
                 f"{start}zero_point": (zero - middle).to(torch.int8)}
        return parts, floats
    return quantize
