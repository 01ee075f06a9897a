"""Six elementwise operators on 4 million floats, argv[1] times, in a process that has just started;
argv[2], if given, is meter.cpp as a shared library: then the most bytes of tensors at once."""

import ctypes
import sys
import time

import torch
from torch import Tensor


def chain(x: Tensor, w: Tensor) -> Tensor:
    a = x + 1.0
    b = a * w
    c = b.relu()
    d = c - 0.5
    e = d * w
    return e.clamp(0.0, 1.0)


def main(times: int, meter: ctypes.CDLL | None) -> None:
    x, w = torch.full((4000000,), 0.5), torch.full((4000000,), 2.0)
    start = time.perf_counter_ns()
    for _ in range(times):
        chain(x, w)
    print("milliseconds", (time.perf_counter_ns() - start) / 1e6 / times)
    if meter:
        print("bytes", meter.meter_peak())


if __name__ == "__main__":
    found = ctypes.CDLL(sys.argv[2]) if len(sys.argv) > 2 else None
    if found:
        found.meter_peak.restype = ctypes.c_int64
        found.meter_install()
    main(int(sys.argv[1]), found)
