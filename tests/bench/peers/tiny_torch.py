"""Nanoseconds for one call of small operators, argv[1] times at once."""

import statistics
import sys
import time
from collections.abc import Callable

import torch

ROUNDS = 21
a = torch.tensor([1.0, 2.0, 3.0, 4.0])
b = torch.tensor([5.0, 6.0, 7.0, 8.0])
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


# Each loop is a separate function: another call inside would cost as much as some operators.


def add(n: int) -> None:
    for _ in range(n):
        torch.add(a, b)


def mul(n: int) -> None:
    for _ in range(n):
        torch.mul(a, b)


def matmul(n: int) -> None:
    for _ in range(n):
        torch.matmul(m, m)


def view(n: int) -> None:
    for _ in range(n):
        a.view(2, 2)


def slice_(n: int) -> None:
    for _ in range(n):
        a[1:3]


def row(n: int) -> None:
    for _ in range(n):
        m[1]


def sum_(n: int) -> None:
    for _ in range(n):
        torch.sum(a, 0)


def number(n: int) -> None:
    for _ in range(n):
        a + 2.0


def softmax(n: int) -> None:
    for _ in range(n):
        torch.softmax(m, dim=-1)


def measure(label: str, loop: Callable[[int], None], n: int) -> None:
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        loop(n)
        found.append((time.perf_counter_ns() - start) / n)
    print(f"(typed {label}) {statistics.median(found)}")


def main(n: int) -> None:
    for loop in (add, mul, matmul, view, slice_, row, sum_, number, softmax):
        measure(loop.__name__.rstrip("_"), loop, n)


if __name__ == "__main__":
    main(int(sys.argv[1]))
