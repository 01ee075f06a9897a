"""Skips the test modules that import it, if LibTorch is not installed."""

import pytest

from lambent.ctorch import build
from lambent.lang.errors import UsageFault

try:
    build.find_torch()
except UsageFault as fault:
    pytest.skip(fault.message, allow_module_level=True)
