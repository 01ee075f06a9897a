"""The training steps of programs/train_*.lisp in Python.

    train_torch.py MODEL MODE THREADS [METER]

MODE is eager or compile.  A line with a number asks for so many steps; the answer is the seconds
that they took, the last loss, and the peak bytes of tensors if METER, meter.cpp as a shared
library, counts them.
"""

import ctypes
import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

VOCABULARY, WIDTH, HEADS, CONTEXT, BATCH, LAYERS = 96, 256, 4, 128, 16, 4


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm_2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def attend(self, x: Tensor) -> Tensor:
        split = [
            part.view(BATCH, CONTEXT, HEADS, -1).transpose(1, 2)
            for part in self.qkv(x).split(WIDTH, 2)
        ]
        mixed = functional.scaled_dot_product_attention(*split, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(BATCH, CONTEXT, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attend(self.norm_1(x))
        return x + self.down(functional.gelu(self.up(self.norm_2(x))))


class Gpt(nn.Module):
    positions: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.register_buffer("positions", torch.arange(CONTEXT))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) + self.places(self.positions)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).view(-1, VOCABULARY)


def task(name: str) -> tuple[nn.Module, Tensor, Tensor]:
    """A model and its batch, drawn in the order of the Lisp programs."""
    if name == "gpt":
        model = Gpt()
        x = torch.randint(VOCABULARY, (BATCH, CONTEXT))
        return model, x, torch.randint(VOCABULARY, (BATCH, CONTEXT)).view(-1)
    model = mlp() if name == "mlp" else cnn()
    x = torch.randn(64, 64) if name == "mlp" else torch.randn(64, 1, 8, 8)
    return model, x, torch.randint(10, (64,))


def main(name: str, mode: str, threads: int, peak: Callable[[], int]) -> None:
    if threads > 0:
        torch.set_num_threads(threads)
    torch.manual_seed(0)
    model, x, y = task(name)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)

    def loss_of(x: Tensor, y: Tensor) -> Tensor:
        return functional.cross_entropy(model(x), y)

    if mode == "compile":
        loss_of = torch.compile(loss_of)

    def train_step(x: Tensor, y: Tensor) -> float:
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    for line in sys.stdin:
        start = time.perf_counter()
        loss = 0.0
        for _ in range(int(line)):
            loss = train_step(x, y)
        print(time.perf_counter() - start, loss, peak(), flush=True)


def no_peak() -> int:
    return 0


if __name__ == "__main__":
    peak = no_peak
    if len(sys.argv) > 4:
        meter = ctypes.CDLL(sys.argv[4])
        meter.meter_peak.restype = ctypes.c_int64
        meter.meter_install()
        peak = meter.meter_peak
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), peak)
