"""Nanoseconds for one torch.add of four elements, argv[1] times."""

import sys
import time

import torch
from torch import Tensor


def add_many(a: Tensor, b: Tensor, n: int) -> None:
    for _ in range(n):
        torch.add(a, b)


def main(n: int) -> None:
    a = torch.tensor([1.0, 2.0, 3.0, 4.0])
    b = torch.tensor([5.0, 6.0, 7.0, 8.0])
    add_many(a, b, n // 10)
    start = time.perf_counter_ns()
    add_many(a, b, n)
    print((time.perf_counter_ns() - start) / n)


if __name__ == "__main__":
    main(int(sys.argv[1]))
