"""examples/digits.lisp in Python, line by line: the same network, data, order and arithmetic.

It prints the same lines.  With `--time N` it then trains N more epochs and prints the seconds of
each.
"""

import csv
import sys
import time
from pathlib import Path

import torch
from torch import Tensor, nn

PIXEL_COUNT = 64
CLASS_COUNT = 10
HIDDEN_SIZE = 64
TRAIN_COUNT = 1437
BATCH_SIZE = 64
EPOCH_COUNT = 30

DATA = Path(__file__).parents[3] / "examples" / "data" / "digits.csv"

Row = list[int]


def read_rows(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return [[int(field) for field in row] for row in csv.reader(file)]


def shuffle(rows: list[Row]) -> list[Row]:
    return [rows[k] for k in torch.randperm(len(rows)).tolist()]


def images(rows: list[Row]) -> Tensor:
    return torch.tensor([[pixel / 16.0 for pixel in row[:PIXEL_COUNT]] for row in rows])


def labels(rows: list[Row]) -> Tensor:
    return torch.tensor([row[-1] for row in rows])


def train_epoch(
    model: nn.Module, optimizer: torch.optim.Optimizer, xs: Tensor, ys: Tensor
) -> float:
    n = len(xs)
    order = torch.randperm(n)
    total = 0.0
    for start in range(0, n, BATCH_SIZE):
        end = min(n, start + BATCH_SIZE)
        picked = order[start:end]
        x = xs.index_select(0, picked)
        y = ys.index_select(0, picked)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * (end - start)
    return total / n


def train(model: nn.Module, optimizer: torch.optim.Optimizer, xs: Tensor, ys: Tensor) -> None:
    for epoch in range(1, EPOCH_COUNT + 1):
        print("epoch", epoch, "loss", round(train_epoch(model, optimizer, xs, ys), 4))


def main(extra_epochs: int) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)

    rows = shuffle(read_rows(DATA))
    train_rows, test_rows = rows[:TRAIN_COUNT], rows[TRAIN_COUNT:]

    model = nn.Sequential(
        nn.Linear(PIXEL_COUNT, HIDDEN_SIZE), nn.ReLU(), nn.Linear(HIDDEN_SIZE, CLASS_COUNT)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    train(model, optimizer, images(train_rows), labels(train_rows))

    with torch.no_grad():
        logits = model(images(test_rows))
    correct = (logits.argmax(1) == labels(test_rows)).sum().item()
    print("test accuracy", round(correct / len(test_rows), 4))

    if extra_epochs == 0:
        return
    xs, ys = images(train_rows), labels(train_rows)
    for _ in range(extra_epochs):
        start = time.perf_counter()
        train_epoch(model, optimizer, xs, ys)
        print("epoch seconds", time.perf_counter() - start)


if __name__ == "__main__":
    main(int(sys.argv[2]) if sys.argv[1:2] == ["--time"] else 0)
