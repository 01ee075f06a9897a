"""Recurrent networks, attention and transformers equal PyTorch's, with masks and lengths.

The rows are those of `tests/support/module_rows.py`; all of them are one program.
"""

from pathlib import Path
from typing import Any

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

from tests.support.module_rows import Row, check_rows  # noqa: E402

BACK_ENDS = ("script", "executable")
_DICE = torch.Generator().manual_seed(13)


def f(*shape: int) -> Tensor:
    """Normally distributed numbers."""
    return torch.randn(shape, generator=_DICE)


def mask(*shape: int) -> Tensor:
    """Booleans; no row is all true."""
    values = torch.rand(shape, generator=_DICE) < 0.4
    values[..., 0] = False
    return values


def packed(first: bool, lengths: list[int]) -> Any:
    """A call that packs its sequences, runs a recurrent network, and unpacks them."""
    def run(module: nn.Module, x: Tensor) -> Any:
        steps = x.shape[1 if first else 0]
        both = pack_padded_sequence(x, lengths, first, enforce_sorted=False)
        y, states = module(both)
        return pad_packed_sequence(y, first, total_length=steps)[0], states
    return run


def _state(m: nn.Module, x: Tensor, h: Tensor) -> Any:
    return m(x, h)


def _states(m: nn.Module, x: Tensor, h: Tensor, c: Tensor) -> Any:
    return m(x, (h, c))


RECURRENT = [
    Row("(rnn 3 4)", lambda: nn.RNN(3, 4), (f(5, 2, 3),)),
    Row("(rnn 3 4 :num-layers 2 :nonlinearity 'relu :batch-first #t :bias #f)",
        lambda: nn.RNN(3, 4, 2, "relu", False, True), (f(2, 5, 3),)),
    Row("(rnn 3 4 :bidirectional #t)", lambda: nn.RNN(3, 4, bidirectional=True),
        (f(5, 2, 3), f(2, 2, 4)), "(m x0 :hx x1)", _state),
    Row("(rnn 3 4)", lambda: nn.RNN(3, 4), (f(5, 4, 3),), "(m x0 :lengths '(2 5 1 3))",
        packed(False, [2, 5, 1, 3])),
    Row("(rnn 3 4 :nonlinearity 'relu)", lambda: nn.RNN(3, 4, nonlinearity="relu"),
        (f(5, 2, 3),), "(m x0 :lengths [2 4])", packed(False, [2, 4])),
    Row("(gru 3 4)", lambda: nn.GRU(3, 4), (f(5, 2, 3),)),
    Row("(gru 3 4 :num-layers 2 :bidirectional #t :dropout 0.4)",
        lambda: nn.GRU(3, 4, 2, bidirectional=True, dropout=0.4), (f(5, 2, 3),)),
    Row("(gru 3 4 :batch-first #t)", lambda: nn.GRU(3, 4, batch_first=True),
        (f(3, 5, 3),), "(m x0 :lengths '(3 5 2))", packed(True, [3, 5, 2])),
    Row("(gru 3 4)", lambda: nn.GRU(3, 4), (f(5, 3), f(1, 4)), "(m x0 :hx x1)", _state),
    Row("(lstm 3 4)", lambda: nn.LSTM(3, 4), (f(5, 2, 3),)),
    Row("(lstm 3 4 :num-layers 2 :bias #f :batch-first #t)",
        lambda: nn.LSTM(3, 4, 2, False, True), (f(2, 5, 3),)),
    Row("(lstm 3 4 :num-layers 2 :bidirectional #t :dropout 0.3)",
        lambda: nn.LSTM(3, 4, 2, bidirectional=True, dropout=0.3),
        (f(5, 2, 3), f(4, 2, 4), f(4, 2, 4)), "(m x0 :hx (list x1 x2))", _states),
    Row("(lstm 3 5 :proj-size 2 :num-layers 2 :bidirectional #t)",
        lambda: nn.LSTM(3, 5, 2, bidirectional=True, proj_size=2), (f(4, 2, 3),)),
    Row("(lstm 3 4)", lambda: nn.LSTM(3, 4), (f(5, 3),)),
    Row("(lstm 3 4 :batch-first #t)", lambda: nn.LSTM(3, 4, batch_first=True),
        (f(5, 3), f(1, 4), f(1, 4)), "(m x0 :hx (list x1 x2))", _states),
    Row("(lstm 3 4 :num-layers 2 :batch-first #t :bidirectional #t)",
        lambda: nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True), (f(4, 6, 3),),
        "(m x0 :lengths '(2 5 1 3))", packed(True, [2, 5, 1, 3])),
    Row("(rnn-cell 3 4)", lambda: nn.RNNCell(3, 4), (f(2, 3),)),
    Row("(rnn-cell 3 4 :bias #f :nonlinearity \"relu\")",
        lambda: nn.RNNCell(3, 4, False, "relu"), (f(3), f(4)), "(m x0 :hx x1)", _state),
    Row("(gru-cell 3 4)", lambda: nn.GRUCell(3, 4), (f(2, 3), f(2, 4)), "(m x0 :hx x1)", _state),
    Row("(gru-cell 3 4 :bias #f)", lambda: nn.GRUCell(3, 4, False), (f(3),)),
    Row("(lstm-cell 3 4)", lambda: nn.LSTMCell(3, 4), (f(2, 3), f(2, 4), f(2, 4)),
        "(m x0 :hx (list x1 x2))", _states),
    Row("(lstm-cell 3 4 :bias #f)", lambda: nn.LSTMCell(3, 4, False), (f(3),)),
]


def _self(m: nn.Module, x: Tensor) -> Any:
    return m(x, x, x)


ATTENTION = [
    Row("(multi-head-attention 6 2)", lambda: nn.MultiheadAttention(6, 2), (f(4, 2, 6),),
        "(m x0 x0 x0)", _self),
    Row("(multi-head-attention 6 2 :batch-first #t)",
        lambda: nn.MultiheadAttention(6, 2, batch_first=True), (f(2, 4, 6),),
        "(m x0 x0 x0 :need-weights #f)", lambda m, x: m(x, x, x, need_weights=False)),
    Row("(multi-head-attention 6 2)", lambda: nn.MultiheadAttention(6, 2), (f(4, 6),),
        "(m x0 x0 x0)", _self),
    Row("(multi-head-attention 6 3 :bias #f)", lambda: nn.MultiheadAttention(6, 3, bias=False),
        (f(4, 2, 6), f(5, 2, 6), f(5, 2, 6))),
    Row("(multi-head-attention 6 2 :kdim 3 :vdim 5)",
        lambda: nn.MultiheadAttention(6, 2, kdim=3, vdim=5), (f(4, 2, 6), f(5, 2, 3), f(5, 2, 5))),
    Row("(multi-head-attention 6 2 :add-bias-kv #t :add-zero-attn #t)",
        lambda: nn.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True),
        (f(4, 2, 6), f(5, 2, 6), f(5, 2, 6), mask(2, 5), mask(4, 5)),
        "(m x0 x1 x2 :key-padding-mask x3 :attn-mask x4)",
        lambda m, q, k, v, p, a: m(q, k, v, key_padding_mask=p, attn_mask=a)),
    Row("(multi-head-attention 6 2 :dropout 0.3)", lambda: nn.MultiheadAttention(6, 2, 0.3),
        (f(4, 2, 6), mask(4, 4, 4)), "(m x0 x0 x0 :attn-mask x1 :average-attn-weights #f)",
        lambda m, x, a: m(x, x, x, attn_mask=a, average_attn_weights=False)),
    Row("(multi-head-attention 6 2 :batch-first #t)",
        lambda: nn.MultiheadAttention(6, 2, batch_first=True),
        (f(2, 4, 6), f(2, 5, 6), mask(2, 5), f(4, 5)),
        "(m x0 x1 x1 :key-padding-mask x2 :attn-mask x3 :need-weights #f)",
        lambda m, q, k, p, a: m(
            q, k, k, key_padding_mask=torch.zeros(p.shape).masked_fill(p, -torch.inf),
            attn_mask=a, need_weights=False)),
    Row("(multi-head-attention 6 2)", lambda: nn.MultiheadAttention(6, 2), (f(4, 2, 6),),
        "(m x0 x0 x0 :is-causal #t :need-weights #f)",
        lambda m, x: m(x, x, x, is_causal=True, need_weights=False,
                       attn_mask=nn.Transformer.generate_square_subsequent_mask(4))),
    Row("(multi-head-attention 6 2)", lambda: nn.MultiheadAttention(6, 2), (f(4, 2, 6),),
        "(m x0 x0 x0 :attn-mask (causal-mask 4))",
        lambda m, x: m(x, x, x, attn_mask=nn.Transformer.generate_square_subsequent_mask(4))),
    Row("(multi-head-attention 6 2)", lambda: nn.MultiheadAttention(6, 2), (f(4, 6), mask(4)),
        "(m x0 x0 x0 :key-padding-mask x1 :is-causal #t :need-weights #f)",
        lambda m, x, p: m(x, x, x, key_padding_mask=p, need_weights=False,
                          attn_mask=torch.ones(4, 4).triu(1).bool())),
    Row("(transformer-encoder-layer 6 2 :dim-feedforward 8)",
        lambda: nn.TransformerEncoderLayer(6, 2, 8), (f(4, 2, 6),)),
    Row("(transformer-encoder-layer 6 2 :dim-feedforward 8 :dropout 0 :activation 'gelu"
        " :layer-norm-eps 1e-3 :batch-first #t :norm-first #t :bias #f)",
        lambda: nn.TransformerEncoderLayer(6, 2, 8, 0.0, "gelu", 1e-3, True, True, False),
        (f(2, 4, 6), mask(4, 4), mask(2, 4)),
        "(m x0 :src-mask x1 :src-key-padding-mask x2)",
        lambda m, x, a, p: m(x, a, p)),
    Row("(transformer-encoder-layer 6 2 :dim-feedforward 8 :activation tensor-silu)",
        lambda: nn.TransformerEncoderLayer(6, 2, 8, activation=nn.functional.silu),
        (f(4, 6),), "(m x0 :is-causal #t)",
        lambda m, x: m(x, nn.Transformer.generate_square_subsequent_mask(4), is_causal=True)),
    Row("(transformer-decoder-layer 6 2 :dim-feedforward 8)",
        lambda: nn.TransformerDecoderLayer(6, 2, 8), (f(4, 2, 6), f(5, 2, 6))),
    # Without dropout: PyTorch's attention returns a transposed view where the batch is first, whose
    # elements dropout visits in another order.
    Row("(transformer-decoder-layer 6 2 :dim-feedforward 8 :activation \"gelu\" :batch-first #t"
        " :norm-first #t :dropout 0.0)",
        lambda: nn.TransformerDecoderLayer(6, 2, 8, 0.0, "gelu", batch_first=True,
                                           norm_first=True),
        (f(2, 4, 6), f(2, 5, 6), mask(4, 4), mask(4, 5), mask(2, 4), mask(2, 5)),
        "(m x0 x1 :tgt-mask x2 :memory-mask x3 :tgt-key-padding-mask x4"
        " :memory-key-padding-mask x5)"),
    Row("(transformer-encoder (transformer-encoder-layer 6 2 :dim-feedforward 8) 2)",
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8), 2,
                                      enable_nested_tensor=False),
        (f(4, 2, 6), mask(4, 4)), "(m x0 :mask x1)"),
    Row("(transformer-decoder (transformer-decoder-layer 6 2 :dim-feedforward 8) 2"
        " :norm (layer-norm 6))",
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 8), 2, nn.LayerNorm(6)),
        (f(4, 2, 6), f(5, 2, 6), mask(4, 4)), "(m x0 x1 :tgt-mask x2)"),
    Row("(transformer-model :d-model 6 :nhead 2 :num-encoder-layers 1 :num-decoder-layers 2"
        " :dim-feedforward 8 :dropout 0 :batch-first #t)",
        lambda: nn.Transformer(6, 2, 1, 2, 8, 0.0, batch_first=True),
        (f(2, 4, 6), f(2, 5, 6)), "(m x0 x1 :tgt-is-causal #t)",
        lambda m, x, y: m(x, y, tgt_mask=nn.Transformer.generate_square_subsequent_mask(5),
                          tgt_is_causal=True)),
]


class _Grouped(nn.Module):
    """Grouped-query attention as in Llama, without its rotation."""

    def __init__(self, width: int, heads: int, groups: int, size: int, causal: bool = True) -> None:
        super().__init__()
        self.heads, self.groups, self.causal = heads, groups, causal
        self.q_proj = nn.Linear(width, heads * size, bias=False)
        self.k_proj = nn.Linear(width, groups * size, bias=False)
        self.v_proj = nn.Linear(width, groups * size, bias=False)
        self.o_proj = nn.Linear(heads * size, width, bias=False)

    def forward(self, x: Tensor, sees: Tensor | None = None) -> Tensor:
        q = self.q_proj(x).unflatten(-1, (self.heads, -1)).transpose(-3, -2)
        k = self.k_proj(x).unflatten(-1, (self.groups, -1)).transpose(-3, -2)
        v = self.v_proj(x).unflatten(-1, (self.groups, -1)).transpose(-3, -2)
        shared = self.heads // self.groups
        k, v = (y.repeat_interleave(shared, -3) for y in (k, v))
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if sees is None and self.causal:
            sees = torch.ones(scores.shape[-2:]).tril().bool()
        if sees is not None:
            scores = scores.masked_fill(~sees, -torch.inf)
        return self.o_proj((scores.softmax(-1) @ v).transpose(-3, -2).flatten(-2))  # type: ignore[no-any-return]


class _Block(nn.Module):
    """A block of GPT-2, with the names of Lambent's.

    Without biases: the gradient of that of the keys is zero but for rounding.
    """

    def __init__(self, width: int, heads: int, groups: int, hidden: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width, bias=False)
        self.attention = _Grouped(width, heads, groups, width // heads)
        self.norm2 = nn.LayerNorm(width, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor, sees: Tensor | None = None) -> Tensor:
        x = x + self.attention(self.norm1(x), sees)
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))  # type: ignore[no-any-return]


ATTENTION += [
    Row("(transformer-block 8 4 :bias #f)", lambda: _Block(8, 4, 4, 32), (f(2, 5, 8),)),
    Row("(transformer-block 8 4 :num-kv-heads 2 :hidden 12 :bias #f)", lambda: _Block(8, 4, 2, 12),
        (f(2, 5, 8), torch.ones(5, 5).triu().bool()), "(m x0 :mask x1)"),
    Row("(grouped-query-attention 6 2)", lambda: _Grouped(6, 2, 2, 3), (f(2, 4, 6),)),
    Row("(grouped-query-attention 6 4 :num-kv-heads 2 :head-dim 2)",
        lambda: _Grouped(6, 4, 2, 2), (f(4, 6),)),
    Row("(grouped-query-attention 8 4 :num-kv-heads 1 :is-causal #f)",
        lambda: _Grouped(8, 4, 1, 2, False), (f(2, 4, 8),)),
    Row("(grouped-query-attention 8 4 :num-kv-heads 2)", lambda: _Grouped(8, 4, 2, 2),
        (f(2, 4, 8), ~mask(2, 1, 4, 4)), "(m x0 :mask x1)"),
]


@pytest.mark.filterwarnings("ignore:LSTM with projections")
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_layers_equal_those_of_pytorch(back_end: str, tmp_path: Path) -> None:
    check_rows([*RECURRENT, *ATTENTION], back_end, tmp_path)
