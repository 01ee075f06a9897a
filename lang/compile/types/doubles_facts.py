"""Vectors of doubles: where a test has found a vector to be one, and nothing has ended that since.

    fits = v is doubles(3)
    if fits
      t1 = vector-ref(v, 0)        reads a double
      vector-set!(v, 2, t1)        stores one, so v still holds doubles
      call f(v)                    may store anything
      t2 = vector-ref(v, 0)        may read anything

`infer` and the verifier `check_doubles` go through the program with such a state.  A vector of
doubles becomes a plain one only where boxes are allocated, which the record of effects tells.
"""

from collections.abc import Mapping

from lambent.lang.compile.ir.anf import (
    DirectCall,
    Doubles,
    HaveTypes,
    Operation,
    Representation,
)
from lambent.lang.compile.ir.operation_effects import effects_of
from lambent.lang.primitives.effects import Allocation, Effects, Memory


def ends_doubles(effects: Effects) -> bool:
    """Whether an operation of these effects may make a vector of doubles a plain one."""
    touched = effects.reads | effects.writes
    return effects.may_call or (
        Memory.VECTOR in touched and Allocation.NUMBERS in effects.allocates
    )


def operation_ends_doubles(operation: Operation) -> bool:
    """The same for any operation but a primitive, whose variant may not be chosen yet."""
    if isinstance(operation, DirectCall):
        return True
    effects = effects_of(operation, Representation.VALUE, tensors=True)
    return ends_doubles(effects)


def learned(known: Mapping[str, object], test: HaveTypes) -> dict[str, int]:
    """The vectors of doubles that a test has found where it succeeds, with their least lengths: it
    may find less than is known."""
    found: dict[str, int] = {}
    for name, type_ in zip(test.operands, test.types, strict=True):
        if isinstance(type_, Doubles):
            before = known.get(name)
            found[name] = max(type_.length, before) if isinstance(before, int) else type_.length
    return found
