"""Skips the test modules that import it, if LibTorch is not installed."""

import os
from typing import Any

import pytest

from lambent.ctorch import build
from lambent.lang.errors import UsageFault

try:
    build.find_torch()
except UsageFault as fault:
    pytest.skip(fault.message, allow_module_level=True)


def python_torch() -> Any:
    """Python's torch; the test is skipped if it cannot be imported while other versions are tried.

    Their packages may lack CUDA's libraries, which LibTorch itself does without.
    """
    if not os.environ.get(build.ANY_TORCH):
        import torch

        return torch
    return pytest.importorskip("torch", exc_type=(ImportError, OSError))  # type: ignore[arg-type]
