"""All declarations in one import: the imported modules add their primitives to `TABLE`."""

from lambent.lang.primitives import (
    autograd,
    bytes,
    control,
    data,
    evaluation,
    integers,
    numbers,
    ports,
    structures,
    system,
    tensors,
    text,
)
from lambent.lang.primitives.table import TABLE

__all__ = [
    "TABLE", "autograd", "bytes", "control", "data", "evaluation", "integers", "numbers", "ports",
    "structures", "system", "tensors", "text",
]
