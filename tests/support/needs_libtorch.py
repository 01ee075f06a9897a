"""Skips the test modules that import it, where LibTorch is not: they can do nothing without."""

import pytest

from lambent.ctorch import build
from lambent.lang.errors import UsageFault

try:
    build.find_torch()
except UsageFault as fault:
    pytest.skip(fault.message, allow_module_level=True)
