"""digits_torch.py with its tensors' bytes counted: argv[1] is meter.cpp as a shared library."""

import ctypes
import sys

import torch  # noqa: F401  the meter needs LibTorch in the process
from digits_torch import main

if __name__ == "__main__":
    meter = ctypes.CDLL(sys.argv[1])
    meter.meter_peak.restype = ctypes.c_int64
    meter.meter_install()
    main(0)
    print("peak bytes", meter.meter_peak())
