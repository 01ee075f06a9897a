"""Every declaration in one import: the modules are read for their effect on `TABLE`."""

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
