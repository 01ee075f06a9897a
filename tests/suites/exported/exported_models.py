"""Modules of PyTorch, and how they are exported: what a package may contain."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch._higher_order_ops import while_loop
from torch.export import Dim, ExportedProgram, export
from torch.utils._pytree import _register_namedtuple

BATCH = Dim("batch", min=3, max=64)
LENGTH = Dim("length", min=2, max=100)


@dataclass(frozen=True)
class Row:
    """A module, the arguments it is exported with, and those that tests call it with."""

    module: nn.Module
    exported_with: tuple[Any, ...]
    called_with: tuple[Any, ...]
    keywords: dict[str, Any]
    dynamic_shapes: Any = None
    change: Callable[[ExportedProgram], ExportedProgram] = lambda program: program

    def program(self) -> ExportedProgram:
        program = export(self.module, self.exported_with, self.keywords,
                         dynamic_shapes=self.dynamic_shapes)
        return self.change(program)


class Pair(NamedTuple):
    first: Tensor
    second: Tensor


_register_namedtuple(Pair, serialized_type_name="tests.Pair")


class Net(nn.Module):
    """Batch norm, buffers of both kinds, a constant, an optional tensor, results of all shapes."""

    kept: Tensor
    lost: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(4, 3), nn.BatchNorm1d(3)
        self.register_buffer("kept", torch.arange(3.0))
        self.register_buffer("lost", torch.full((3,), 0.5), persistent=False)
        self.constant = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x: Tensor, y: Tensor | None = None, *, scale: float = 1.0) -> dict[str, Any]:
        h = torch.relu(self.norm(self.linear(x))) + self.kept * self.lost * self.constant
        if y is not None:
            h = h + y
        left, right = torch.split(h * scale, [1, 2], dim=1)
        top, places = torch.topk(h, 2)
        return {"sum": h, "parts": (left, right), "top": [top, places]}


class Sizes(nn.Module):
    """What is computed from sizes: quotients, shapes, comparisons."""

    def forward(self, x: Tensor, n: int) -> tuple[Any, ...]:
        rows = x.shape[0]
        less = x[: rows - 1]
        padded = torch.full((rows + 1, n * 2), float("-inf"))
        numbers = (rows + 1, -rows % 3, rows // 2, None, 7)
        return x.reshape(rows * x.shape[1]) * (rows / 2), less, padded, numbers


class Control(nn.Module):
    """Branches, loops, regions without gradients and of autocast, and a counter."""

    count: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(1))
        self.weight = nn.Parameter(torch.tensor([1.0, -1.0, 2.0]))

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        self.count.add_(1)
        with torch.no_grad():
            fixed = x.sum() * self.weight
        first, second = torch.cond(
            x.sum() > 0,
            lambda a: (a * 2, a + self.weight), lambda a: (a - 1, a * self.weight), (x,),
        )
        with torch.autocast("cpu", dtype=torch.bfloat16):
            product = x @ x.t()
        steps, value = while_loop(  # type: ignore[no-untyped-call]
            lambda k, v: k < 5, lambda k, v: (k + 1, v * 1.5), (torch.tensor(0), x)
        )
        return first, second, fixed, product, steps, value, self.count * 1, x[torch.tensor([0, 1])]


class Nested(nn.Module):
    """Arguments and results that nest."""

    def forward(self, pair: Pair, table: dict[str, list[Tensor]]) -> Pair:
        total = pair.first + pair.second * table["a"][0]
        return Pair(total, {"deep": [table["b"][0] - total]})  # type: ignore[arg-type]


class Tied(nn.Module):
    """Weights that share a storage: one is the transposed of another."""

    turned: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(10, 6)
        self.out = nn.Linear(6, 10, bias=False)
        self.out.weight = self.table.weight
        self.register_buffer("turned", torch.arange(12.0).reshape(3, 4).t())

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        return self.out(self.table(ids)), self.turned + 1


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(5, 4, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        states, (last, _) = self.lstm(x)
        return self.gru(states)[0], last


class Pictures(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 6, 3, stride=2, padding=1), nn.BatchNorm2d(6), nn.GELU(),
            nn.MaxPool2d(2), nn.Conv2d(6, 8, 3, groups=2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )

    def forward(self, x: Tensor) -> Tensor:
        larger = nn.functional.interpolate(x, scale_factor=2, mode="bilinear")
        return torch.softmax(self.body(larger), -1)


class Changes(nn.Module):
    """Changes its argument and a buffer."""

    seen: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(2))

    def forward(self, x: Tensor) -> Tensor:
        x.mul_(2)
        self.seen += x.sum(0)
        return x + self.seen


def _decomposed(program: ExportedProgram) -> ExportedProgram:
    decomposed: ExportedProgram = program.run_decompositions()
    return decomposed


def _language_model() -> nn.Module:
    import transformers

    config = transformers.LlamaConfig(
        vocab_size=60, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64, use_cache=False)
    model: nn.Module = transformers.LlamaForCausalLM(config)
    return model.eval()


def rows() -> dict[str, Row]:
    """Every row, whose weights and arguments are the same at each call."""
    torch.manual_seed(5)
    x, y = torch.randn(5, 4), torch.randn(5, 3)
    control = torch.randn(4, 3)
    pair = Pair(torch.randn(2), torch.randn(2))
    table = {"a": [torch.randn(2)], "b": [torch.ones(2)]}
    texts, ids = torch.randn(3, 7, 5), torch.tensor([[1, 2, 3], [4, 5, 9]])
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    batch = {"x": {0: BATCH}, "y": {0: BATCH}, "scale": None}
    wide = torch.randn(7, 4)
    return {
        "net": Row(Net().eval(), (x, y), (wide, torch.randn(7, 3)), {"scale": 2.0}, batch),
        "net-training": Row(Net().train(), (x, y), (x, y), {"scale": 2.0}),
        "sizes": Row(Sizes(), (x, 3), (torch.randn(9, 4), 3), {}, ({0: BATCH}, None)),
        "number": Row(Sizes(), (x, 3), (torch.randn(9, 4), 5), {}, ({0: BATCH}, Dim.DYNAMIC)),
        "control": Row(Control(), (control,), (-control,), {}, ({0: BATCH},)),
        "nested": Row(Nested(), (pair, table), (pair, table), {}),
        "tied": Row(Tied(), (ids,), (ids.flip(0),), {}),
        "recurrent": Row(Recurrent(), (texts,), (texts + 1,), {}),
        "pictures": Row(Pictures().eval(), (torch.randn(4, 3, 16, 16),),
                        (torch.randn(3, 3, 16, 16),), {}, ({0: BATCH},)),
        "encoder": Row(encoder, (torch.randn(2, 6, 8),), (torch.randn(2, 9, 8),), {},
                       ({1: LENGTH},)),
        "changes": Row(Changes(), (torch.ones(3, 2),), (torch.full((3, 2), 0.5),), {}),
        "changes-outside": Row(Changes(), (torch.ones(3, 2),), (torch.full((3, 2), 0.5),), {},
                               change=_decomposed),
        "decomposed": Row(Net().eval(), (x, y), (wide, torch.randn(7, 3)), {"scale": 0.5}, batch,
                          _decomposed),
        "bfloat16": Row(nn.Linear(4, 3).bfloat16(), (x.bfloat16(),), (x.bfloat16() + 1,), {}),
        "language": Row(_language_model(), (ids,), (ids[:, :2],), {}, {"input_ids": {1: LENGTH}}),
    }
