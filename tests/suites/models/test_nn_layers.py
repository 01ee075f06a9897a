"""Each layer of the library equals PyTorch's: values, gradients, buffers, initial values.

The rows are those of `tests/support/module_rows.py`; all of them are one program, because each
program costs a second or two.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402

from tests.support.module_rows import Row, check_rows  # noqa: E402

BACK_ENDS = ("script", "executable")
_DICE = torch.Generator().manual_seed(12)


def f(*shape: int) -> Tensor:
    """Normally distributed numbers."""
    return torch.randn(shape, generator=_DICE)


def i(bound: int, *shape: int) -> Tensor:
    """Integers from 0, less than the bound."""
    return torch.randint(bound, shape, generator=_DICE)


class _Filled(nn.Module):
    """A weight with initial values."""

    def __init__(self, fill: Callable[[Tensor], Tensor], sizes: list[int]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(sizes))
        fill(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight.sum()


class _Residual(nn.Module):
    def __init__(self, layer: nn.Module, shortcut: nn.Module | None = None) -> None:
        super().__init__()
        self.layer = layer
        if shortcut is not None:
            self.shortcut = shortcut

    def forward(self, x: Tensor) -> Tensor:
        skipped = self.shortcut(x) if hasattr(self, "shortcut") else x
        return skipped + self.layer(x)  # type: ignore[no-any-return]


LINEAR = [
    Row("(linear 3 4)", lambda: nn.Linear(3, 4), (f(2, 3),)),
    Row("(linear 3 4 :bias #f)", lambda: nn.Linear(3, 4, bias=False), (f(2, 5, 3),)),
    Row("(linear 20 30)", lambda: nn.Linear(20, 30), (f(20),)),
    Row("(bilinear 3 4 5)", lambda: nn.Bilinear(3, 4, 5), (f(2, 3), f(2, 4))),
    Row("(bilinear 3 4 5 :bias #f)", lambda: nn.Bilinear(3, 4, 5, False), (f(3), f(4))),
    Row("(cosine-similarity)", nn.CosineSimilarity, (f(2, 3, 4), f(2, 3, 4))),
    Row("(cosine-similarity :dim 0 :eps 1e-3)", lambda: nn.CosineSimilarity(0, 1e-3),
        (f(3), f(3))),
    Row("(pairwise-distance)", nn.PairwiseDistance, (f(2, 3), f(2, 3))),
    Row("(pairwise-distance :p 1 :keepdim #t)", lambda: nn.PairwiseDistance(1, keepdim=True),
        (f(2, 3), f(2, 3))),
    Row("(flatten)", nn.Flatten, (f(2, 3, 4),)),
    Row("(flatten :start-dim 0 :end-dim 1)", lambda: nn.Flatten(0, 1), (f(2, 3, 4),)),
    Row("(unflatten 1 '(3 -1))", lambda: nn.Unflatten(1, (3, -1)), (f(2, 6),)),
    Row("(sequential (linear 3 4) (relu) (linear 4 2))",
        lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), (f(5, 3),)),
    Row("(sequential (linear 3 4) tanh identity tensor-relu)",
        lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Identity(), nn.ReLU()), (f(5, 3),)),
    Row("(sequential)", nn.Sequential, (f(5),)),
    # Without the bias before the norm, whose gradient is zero but for rounding.
    Row("(sequential (linear 3 4 :bias #f) (sequential (batch-norm1d 4) (linear 4 2)))",
        lambda: nn.Sequential(nn.Linear(3, 4, bias=False),
                              nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 2))),
        (f(5, 3),)),
    Row("(residual (linear 3 3))", lambda: _Residual(nn.Linear(3, 3)), (f(5, 3),)),
    Row("(residual (linear 3 4) :shortcut (linear 3 4 :bias #f))",
        lambda: _Residual(nn.Linear(3, 4), nn.Linear(3, 4, bias=False)), (f(5, 3),)),
    Row("(embedding 7 3)", lambda: nn.Embedding(7, 3), (i(7, 2, 4),)),
    Row("(embedding 7 3 :padding-idx -2)", lambda: nn.Embedding(7, 3, -2),
        (torch.tensor([5, 0, 5, 1]),)),
    Row("(embedding 7 3 :padding-idx 0 :scale-grad-by-freq #t)",
        lambda: nn.Embedding(7, 3, 0, scale_grad_by_freq=True), (torch.tensor([0, 2, 2, 1]),)),
    Row("(embedding 7 30 :max-norm 1.0)", lambda: nn.Embedding(7, 30, max_norm=1.0),
        (i(7, 2, 4),)),
    Row("(embedding 7 30 :max-norm 5 :norm-type 1)",
        lambda: nn.Embedding(7, 30, max_norm=5, norm_type=1), (i(7, 2, 4),)),
    Row("(embedding-bag 7 3)", lambda: nn.EmbeddingBag(7, 3), (i(7, 2, 4),)),
    Row('(embedding-bag 7 3 :mode "max")', lambda: nn.EmbeddingBag(7, 3, mode="max"),
        (i(7, 6), torch.tensor([0, 2])), "(m x0 :offsets x1)"),
    Row("(embedding-bag 7 3 :mode 'sum :padding-idx 1)",
        lambda: nn.EmbeddingBag(7, 3, mode="sum", padding_idx=1),
        (i(7, 6), torch.tensor([0, 2]), f(6)), "(m x0 :offsets x1 :per-sample-weights x2)"),
    Row("(embedding-bag 7 3 :include-last-offset #t)",
        lambda: nn.EmbeddingBag(7, 3, include_last_offset=True),
        (i(7, 6), torch.tensor([0, 2, 6])), "(m x0 :offsets x1)"),
    Row("(embedding-bag 7 3 :max-norm 1)", lambda: nn.EmbeddingBag(7, 3, max_norm=1),
        (i(7, 2, 4),)),
]

CONVOLUTIONS = [
    Row("(conv1d 2 3 3)", lambda: nn.Conv1d(2, 3, 3), (f(2, 2, 7),)),
    Row("(conv1d 2 4 3 :stride 2 :padding 1 :dilation 2 :groups 2 :bias #f)",
        lambda: nn.Conv1d(2, 4, 3, 2, 1, 2, 2, False), (f(2, 2, 7),)),
    Row('(conv1d 2 3 4 :padding "same" :padding-mode "circular")',
        lambda: nn.Conv1d(2, 3, 4, padding="same", padding_mode="circular"), (f(2, 7),)),
    Row("(conv2d 2 3 3)", lambda: nn.Conv2d(2, 3, 3), (f(2, 2, 5, 6),)),
    Row("(conv2d 2 4 '(3 2) :stride '(2 1) :padding '(1 0) :dilation '(1 2) :groups 2)",
        lambda: nn.Conv2d(2, 4, (3, 2), (2, 1), (1, 0), (1, 2), 2), (f(2, 2, 5, 6),)),
    Row("(conv2d 2 3 3 :padding 'same)", lambda: nn.Conv2d(2, 3, 3, padding="same"),
        (f(2, 5, 6),)),
    Row('(conv2d 2 3 3 :padding "valid" :stride 2)',
        lambda: nn.Conv2d(2, 3, 3, 2, "valid"), (f(1, 2, 5, 6),)),
    Row('(conv2d 2 3 3 :padding "valid" :padding-mode "reflect")',
        lambda: nn.Conv2d(2, 3, 3, padding="valid", padding_mode="reflect"), (f(1, 2, 5, 6),)),
    *[Row(f'(conv2d 2 3 3 :padding \'(1 2) :padding-mode "{mode}" :bias #f)',
          lambda mode=mode: nn.Conv2d(2, 3, 3, padding=(1, 2), padding_mode=mode, bias=False),
          (f(1, 2, 5, 6),))
      for mode in ("reflect", "replicate", "circular")],
    Row("(conv2d 2 3 '(4 3) :padding 'same :padding-mode 'reflect :dilation '(1 2))",
        lambda: nn.Conv2d(2, 3, (4, 3), padding="same", padding_mode="reflect", dilation=(1, 2)),
        (f(1, 2, 6, 7),)),
    Row("(conv3d 2 3 2)", lambda: nn.Conv3d(2, 3, 2), (f(1, 2, 3, 4, 3),)),
    Row("(conv3d 2 2 2 :stride '(1 2 1) :padding 1 :groups 2 :padding-mode 'replicate)",
        lambda: nn.Conv3d(2, 2, 2, (1, 2, 1), 1, groups=2, padding_mode="replicate"),
        (f(1, 2, 3, 4, 3),)),
    Row("(conv-transpose1d 2 3 3)", lambda: nn.ConvTranspose1d(2, 3, 3), (f(2, 2, 5),)),
    Row("(conv-transpose1d 2 4 3 :stride 2 :padding 1 :output-padding 1 :groups 2 :dilation 2)",
        lambda: nn.ConvTranspose1d(2, 4, 3, 2, 1, 1, 2, dilation=2), (f(2, 2, 5),)),
    Row("(conv-transpose2d 2 3 3 :bias #f)",
        lambda: nn.ConvTranspose2d(2, 3, 3, bias=False), (f(2, 2, 3, 4),)),
    Row("(conv-transpose2d 2 3 3 :stride 2)", lambda: nn.ConvTranspose2d(2, 3, 3, 2),
        (f(2, 2, 3, 4),), "(m x0 :output-size '(8 9))", lambda m, x: m(x, output_size=[8, 9])),
    Row("(conv-transpose2d 2 3 '(3 2) :stride '(2 1) :padding 1)",
        lambda: nn.ConvTranspose2d(2, 3, (3, 2), (2, 1), 1),
        (f(2, 3, 4),), "(m x0 :output-size '(3 6 3))",
        lambda m, x: m(x, output_size=[3, 6, 3])),
    Row("(conv-transpose3d 2 2 2 :stride 2 :groups 2)",
        lambda: nn.ConvTranspose3d(2, 2, 2, 2, groups=2), (f(1, 2, 2, 3, 2),)),
]

POOLING = [
    Row("(max-pool1d 2)", lambda: nn.MaxPool1d(2), (f(2, 3, 7),)),
    Row("(max-pool1d 3 :stride 2 :padding 1 :dilation 1 :ceil-mode #t)",
        lambda: nn.MaxPool1d(3, 2, 1, 1, ceil_mode=True), (f(2, 3, 8),)),
    Row("(max-pool2d 2)", lambda: nn.MaxPool2d(2), (f(2, 3, 7, 6),)),
    Row("(max-pool2d '(3 2) :stride '(2 1) :padding '(1 0) :dilation '(1 2))",
        lambda: nn.MaxPool2d((3, 2), (2, 1), (1, 0), (1, 2)), (f(3, 7, 6),)),
    Row("(max-pool2d 2 :return-indices #t)", lambda: nn.MaxPool2d(2, return_indices=True),
        (f(2, 3, 7, 6),)),
    Row("(max-pool1d 2 :return-indices #t)", lambda: nn.MaxPool1d(2, return_indices=True),
        (f(2, 3, 7),)),
    Row("(max-pool3d 2 :stride 1)", lambda: nn.MaxPool3d(2, 1), (f(1, 2, 3, 4, 3),)),
    Row("(max-pool3d 2 :return-indices #t)", lambda: nn.MaxPool3d(2, return_indices=True),
        (f(1, 2, 3, 4, 3),)),
    Row("(avg-pool1d 3 :stride 2 :padding 1 :count-include-pad #f)",
        lambda: nn.AvgPool1d(3, 2, 1, False, False), (f(2, 3, 8),)),
    Row("(avg-pool2d 2)", lambda: nn.AvgPool2d(2), (f(2, 3, 7, 6),)),
    Row("(avg-pool2d 3 :stride 2 :padding 1 :ceil-mode #t :count-include-pad #f)",
        lambda: nn.AvgPool2d(3, 2, 1, True, False), (f(2, 3, 8, 6),)),
    Row("(avg-pool2d '(2 3) :divisor-override 5)",
        lambda: nn.AvgPool2d((2, 3), divisor_override=5), (f(2, 3, 7, 6),)),
    Row("(avg-pool3d 2)", lambda: nn.AvgPool3d(2), (f(2, 3, 4, 5),)),
    Row("(lp-pool1d 2 3 :stride 2)", lambda: nn.LPPool1d(2, 3, 2), (f(2, 3, 8),)),
    Row("(lp-pool2d 1.5 2 :ceil-mode #t)", lambda: nn.LPPool2d(1.5, 2, ceil_mode=True),
        (f(2, 3, 5, 6).abs() + 0.1,)),
    Row("(lp-pool3d 2 2)", lambda: nn.LPPool3d(2, 2), (f(1, 2, 4, 4, 4),)),
    Row("(adaptive-max-pool1d 3)", lambda: nn.AdaptiveMaxPool1d(3), (f(2, 3, 8),)),
    Row("(adaptive-max-pool1d 3 :return-indices #t)",
        lambda: nn.AdaptiveMaxPool1d(3, return_indices=True), (f(2, 3, 8),)),
    Row("(adaptive-max-pool2d '(2 #f))", lambda: nn.AdaptiveMaxPool2d((2, None)),
        (f(2, 3, 5, 6),)),
    Row("(adaptive-max-pool2d 2 :return-indices #t)",
        lambda: nn.AdaptiveMaxPool2d(2, return_indices=True), (f(2, 3, 5, 6),)),
    Row("(adaptive-max-pool3d 2)", lambda: nn.AdaptiveMaxPool3d(2), (f(2, 3, 5, 6),)),
    Row("(adaptive-avg-pool1d 3)", lambda: nn.AdaptiveAvgPool1d(3), (f(2, 3, 8),)),
    Row("(adaptive-avg-pool2d '(2 #f))", lambda: nn.AdaptiveAvgPool2d((2, None)),
        (f(2, 3, 5, 6),)),
    Row("(adaptive-avg-pool2d 1)", lambda: nn.AdaptiveAvgPool2d(1), (f(3, 5, 6),)),
    Row("(adaptive-avg-pool3d '(1 2 3))", lambda: nn.AdaptiveAvgPool3d((1, 2, 3)),
        (f(1, 2, 3, 4, 5),)),
    Row("(max-unpool1d 2)", lambda: nn.MaxUnpool1d(2),
        (f(1, 2, 2), torch.tensor([[[0, 3], [1, 2]]]))),
    Row("(max-unpool2d 2 :stride 2)", lambda: nn.MaxUnpool2d(2, 2),
        (f(1, 1, 2, 2), torch.tensor([[[[0, 3], [11, 14]]]])), "(m x0 x1 :output-size '(5 5))",
        lambda m, x, indices: m(x, indices, output_size=(5, 5))),
    Row("(max-unpool3d 2)", lambda: nn.MaxUnpool3d(2),
        (f(1, 1, 1, 1, 2), torch.tensor([[[[[0, 3]]]]]))),
    Row("(fractional-max-pool2d 2 :output-size 3)",
        lambda: nn.FractionalMaxPool2d(2, output_size=3), (f(2, 3, 7, 8),)),
    Row("(fractional-max-pool2d '(2 3) :output-ratio '(0.5 0.6) :return-indices #t)",
        lambda: nn.FractionalMaxPool2d((2, 3), output_ratio=(0.5, 0.6), return_indices=True),
        (f(2, 3, 7, 8),)),
    Row("(fractional-max-pool3d 2 :output-size '(2 3 2))",
        lambda: nn.FractionalMaxPool3d(2, output_size=(2, 3, 2)), (f(1, 2, 5, 6, 4),)),
]

NORMS = [
    Row("(layer-norm 4)", lambda: nn.LayerNorm(4), (f(2, 3, 4),)),
    Row("(layer-norm '(3 4) :eps 1e-3 :bias #f)",
        lambda: nn.LayerNorm((3, 4), 1e-3, bias=False), (f(2, 3, 4),)),
    Row("(layer-norm 4 :elementwise-affine #f)",
        lambda: nn.LayerNorm(4, elementwise_affine=False), (f(2, 3, 4),)),
    Row("(rms-norm 4)", lambda: nn.RMSNorm(4), (f(2, 3, 4),)),
    Row("(rms-norm '(3 4) :eps 1e-3)", lambda: nn.RMSNorm((3, 4), 1e-3), (f(2, 3, 4),)),
    Row("(rms-norm 4 :elementwise-affine #f)",
        lambda: nn.RMSNorm(4, elementwise_affine=False), (f(2, 3, 4),)),
    Row("(group-norm 2 6)", lambda: nn.GroupNorm(2, 6), (f(3, 6, 4),)),
    Row("(group-norm 3 6 :eps 1e-3 :affine #f)",
        lambda: nn.GroupNorm(3, 6, 1e-3, False), (f(3, 6, 4, 2),)),
    Row("(local-response-norm 3)", lambda: nn.LocalResponseNorm(3), (f(2, 5, 4, 3),)),
    Row("(local-response-norm 2 :alpha 0.1 :beta 0.5 :k 2)",
        lambda: nn.LocalResponseNorm(2, 0.1, 0.5, 2), (f(2, 5, 4),)),
    Row("(batch-norm1d 3)", lambda: nn.BatchNorm1d(3), (f(5, 3),)),
    Row("(batch-norm1d 3 :momentum #f)", lambda: nn.BatchNorm1d(3, momentum=None), (f(5, 3, 4),)),
    Row("(batch-norm2d 3)", lambda: nn.BatchNorm2d(3), (f(2, 3, 4, 5),)),
    Row("(batch-norm2d 3 :eps 1e-3 :momentum 0.3 :affine #f)",
        lambda: nn.BatchNorm2d(3, 1e-3, 0.3, False), (f(2, 3, 4, 5),)),
    Row("(batch-norm2d 3 :track-running-stats #f)",
        lambda: nn.BatchNorm2d(3, track_running_stats=False), (f(2, 3, 4, 5),)),
    Row("(batch-norm3d 2)", lambda: nn.BatchNorm3d(2), (f(2, 2, 3, 2, 2),)),
    Row("(instance-norm1d 3)", lambda: nn.InstanceNorm1d(3), (f(2, 3, 5),)),
    Row("(instance-norm1d 3 :affine #t)", lambda: nn.InstanceNorm1d(3, affine=True), (f(3, 5),)),
    Row("(instance-norm2d 3 :affine #t :track-running-stats #t)",
        lambda: nn.InstanceNorm2d(3, affine=True, track_running_stats=True), (f(2, 3, 4, 5),)),
    Row("(instance-norm3d 2 :momentum 0.4 :track-running-stats #t)",
        lambda: nn.InstanceNorm3d(2, momentum=0.4, track_running_stats=True),
        (f(2, 2, 3, 2, 2),)),
    Row("(dropout)", nn.Dropout, (f(10, 10),)),
    Row("(dropout 0.2)", lambda: nn.Dropout(0.2), (f(10, 10),)),
    Row("(dropout :p 1)", lambda: nn.Dropout(1.0), (f(10),)),
    Row("(dropout1d 0.4)", lambda: nn.Dropout1d(0.4), (f(4, 5, 6),)),
    Row("(dropout2d)", nn.Dropout2d, (f(4, 5, 3, 2),)),
    Row("(dropout3d)", nn.Dropout3d, (f(4, 5, 3, 2, 2),)),
    Row("(alpha-dropout 0.3)", lambda: nn.AlphaDropout(0.3), (f(10, 10),)),
    Row("(feature-alpha-dropout)", nn.FeatureAlphaDropout, (f(4, 5, 3),)),
]

ACTIVATIONS = [
    *[Row(f"({name})", module, (f(4, 6) * 3,)) for name, module in (
        ("relu", nn.ReLU), ("relu6", nn.ReLU6), ("selu", nn.SELU), ("silu", nn.SiLU),
        ("mish", nn.Mish), ("sigmoid", nn.Sigmoid), ("log-sigmoid", nn.LogSigmoid),
        ("softsign", nn.Softsign), ("tanhshrink", nn.Tanhshrink), ("tanh-layer", nn.Tanh),
        ("hardsigmoid", nn.Hardsigmoid), ("hardswish", nn.Hardswish), ("gelu", nn.GELU),
        ("leaky-relu", nn.LeakyReLU), ("prelu", nn.PReLU), ("rrelu", nn.RReLU),
        ("elu", nn.ELU), ("celu", nn.CELU), ("softplus", nn.Softplus),
        ("hardtanh", nn.Hardtanh), ("hardshrink", nn.Hardshrink),
        ("softshrink", nn.Softshrink), ("glu", nn.GLU))],
    Row('(gelu :approximate "tanh")', lambda: nn.GELU("tanh"), (f(4, 6),)),
    Row("(leaky-relu 0.2)", lambda: nn.LeakyReLU(0.2), (f(4, 6),)),
    Row("(leaky-relu :negative-slope 0.3)", lambda: nn.LeakyReLU(0.3), (f(4, 6),)),
    Row("(prelu :num-parameters 6 :init 0.1)", lambda: nn.PReLU(6, 0.1), (f(4, 6, 2),)),
    Row("(rrelu :lower 0.2 :upper 0.4)", lambda: nn.RReLU(0.2, 0.4), (f(4, 6),)),
    Row("(elu 0.5)", lambda: nn.ELU(0.5), (f(4, 6),)),
    Row("(celu :alpha 2)", lambda: nn.CELU(2), (f(4, 6),)),
    Row("(softplus :beta 3 :threshold 1)", lambda: nn.Softplus(3, 1), (f(4, 6),)),
    Row("(hardtanh :min-val -0.5 :max-val 0.7)", lambda: nn.Hardtanh(-0.5, 0.7), (f(4, 6),)),
    Row("(hardshrink 1)", lambda: nn.Hardshrink(1), (f(4, 6),)),
    Row("(softshrink 0.1)", lambda: nn.Softshrink(0.1), (f(4, 6),)),
    Row("(threshold 0.1 20)", lambda: nn.Threshold(0.1, 20), (f(4, 6),)),
    Row("(glu 0)", lambda: nn.GLU(0), (f(4, 6),)),
    Row("(softmax -1)", lambda: nn.Softmax(-1), (f(4, 6),)),
    Row("(softmax :dim 0)", lambda: nn.Softmax(0), (f(4, 6),)),
    Row("(log-softmax 1)", lambda: nn.LogSoftmax(1), (f(4, 6),)),
    Row("(softmin 0)", lambda: nn.Softmin(0), (f(4, 6),)),
    Row("(softmax2d)", nn.Softmax2d, (f(2, 3, 2, 2),)),
    *[Row(f"({name}-pad{n}d {arguments})",
          lambda n=n, module=module, more=more: getattr(nn, f"{module}Pad{n}d")(
              *more(tuple(range(2 * n)) if n < 3 else 1)),
          (f(1, 2, *((7, 6, 5)[:n])),))
      for name, module, value in (
          ("zero", "Zero", False), ("constant", "Constant", True),
          ("reflection", "Reflection", False), ("replication", "Replication", False),
          ("circular", "Circular", False))
      for n in (1, 2, 3)
      for arguments in (("'(0 1)", "'(0 1 2 3)", "1")[n - 1] + (" 2.5" if value else ""),)
      for more in ((lambda p, value=value: (p, 2.5) if value else (p,)),)],
    Row("(upsample :scale-factor 2)", lambda: nn.Upsample(scale_factor=2), (f(1, 2, 3, 4),)),
    Row('(upsample :size \'(5 7) :mode "bilinear" :align-corners #t)',
        lambda: nn.Upsample((5, 7), mode="bilinear", align_corners=True), (f(1, 2, 3, 4),)),
    Row("(upsample :size 7 :mode 'linear)", lambda: nn.Upsample(7, mode="linear"),
        (f(1, 2, 3),)),
    Row("(upsample :scale-factor '(1.5 2.0) :mode 'bicubic :recompute-scale-factor #t)",
        lambda: nn.Upsample(scale_factor=(1.5, 2.0), mode="bicubic", recompute_scale_factor=True),
        (f(1, 2, 3, 4),)),
    Row("(upsampling-nearest2d :scale-factor 2)", lambda: nn.UpsamplingNearest2d(scale_factor=2),
        (f(1, 2, 3, 4),)),
    Row("(upsampling-bilinear2d :size '(5 5))", lambda: nn.UpsamplingBilinear2d((5, 5)),
        (f(1, 2, 3, 4),)),
    Row("(pixel-shuffle 2)", lambda: nn.PixelShuffle(2), (f(1, 8, 2, 3),)),
    Row("(pixel-unshuffle 2)", lambda: nn.PixelUnshuffle(2), (f(1, 2, 4, 6),)),
    Row("(channel-shuffle 2)", lambda: nn.ChannelShuffle(2), (f(1, 4, 2, 3),)),
]

INITIALIZERS = [
    Row(f"(filled (lambda (w) {lisp}) {sizes})",
        lambda fill=fill, sizes=sizes: _Filled(fill, [int(n) for n in sizes.split()]), (f(1),))
    for lisp, fill, sizes in (
        ("(tensor-constant! w 3)", lambda w: nn.init.constant_(w, 3), "2 3"),
        ("(tensor-ones! w)", nn.init.ones_, "2 3"),
        ("(tensor-zeros! w)", nn.init.zeros_, "2 3"),
        ("(tensor-eye! w)", nn.init.eye_, "3 4"),
        ("(no-grad (tensor-uniform! w -1 2))", lambda w: nn.init.uniform_(w, -1, 2), "5 6"),
        ("(no-grad (tensor-normal! w 1 2))", lambda w: nn.init.normal_(w, 1, 2), "5 6"),
        ("(tensor-trunc-normal! w)", nn.init.trunc_normal_, "5 6"),
        ("(tensor-trunc-normal! w :std 0.02 :a -0.01 :b 0.04)",
         lambda w: nn.init.trunc_normal_(w, 0, 0.02, -0.01, 0.04), "5 6"),
        ("(tensor-xavier-uniform! w)", nn.init.xavier_uniform_, "5 6 2"),
        ("(tensor-xavier-normal! w :gain (calculate-gain \"tanh\"))",
         lambda w: nn.init.xavier_normal_(w, nn.init.calculate_gain("tanh")), "5 6 2"),
        ("(tensor-kaiming-uniform! w)", nn.init.kaiming_uniform_, "5 6 2"),
        ("(tensor-kaiming-normal! w :mode \"fan_out\" :nonlinearity \"relu\")",
         lambda w: nn.init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu"), "5 6"),
        ("(tensor-kaiming-uniform! w :a 0.3)", lambda w: nn.init.kaiming_uniform_(w, 0.3), "5 6"),
        ("(tensor-orthogonal! w :gain 2)", lambda w: nn.init.orthogonal_(w, 2), "4 6"),
        ("(tensor-orthogonal! w)", nn.init.orthogonal_, "6 2 2"),
        ("(tensor-dirac! w :groups 2)", lambda w: nn.init.dirac_(w, 2), "4 3 3 3"),
        ("(tensor-sparse! w 0.4 :std 0.1)", lambda w: nn.init.sparse_(w, 0.4, 0.1), "5 6"),
    )
]
PRELUDE = """
(define-module (filled fill . sizes)
  ((weight (requires-grad! (tensor-zeros sizes)) :parameter)
   (done (tensor? (fill weight))))
  (forward (x) (* x (tensor-sum weight))))
"""

ROWS = [*LINEAR, *CONVOLUTIONS, *POOLING, *NORMS, *ACTIVATIONS, *INITIALIZERS]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_layers_equal_those_of_pytorch(back_end: str, tmp_path: Path) -> None:
    check_rows(ROWS, back_end, tmp_path, PRELUDE)
