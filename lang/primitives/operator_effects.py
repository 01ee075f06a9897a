"""The effects of LibTorch's operators, derived from the alias marks of their schemas.

    add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)     writes tensor
    rand(SymInt[] size, *, Generator? generator, ...) -> Tensor                     writes random

`operator_marks.py` keeps what follows from all overloads of each name, because programs are
analysed without LibTorch.  An operator that is missing may do anything but call procedures: only
those that compute gradients do.
"""

from functools import cache, reduce

from lambent.lang.primitives.effects import (
    ANY_ALLOCATION,
    ANYTHING,
    NO_EFFECTS,
    NOTHING,
    Effects,
    Memory,
)
from lambent.lang.primitives.operator_marks import MARKS, PLAIN
from lambent.lang.system.dataclass import replace

_WRITES = "!"  # in `Tensor(a!)`
_COMPUTES = replace(NO_EFFECTS, reads=Memory.TENSOR, allocates=ANY_ALLOCATION, may_fail=True)
_UNKNOWN = replace(ANYTHING, may_call=False)


def schema_effects(schema: str) -> Effects:
    """The effects of one overload.  One that returns nothing is called for what it changes."""
    inside, _, result = schema.partition("(")[2].rpartition(") -> ")
    writes = NOTHING
    if _WRITES in inside:
        writes |= Memory.TENSOR
    if "Generator" in inside:
        writes |= Memory.RANDOM
    if result == "()" and not writes:
        return ANYTHING
    return replace(_COMPUTES, writes=writes)


def is_out_overload(schema: str) -> bool:
    """Whether it writes its results into keyword arguments, such as `out`."""
    positional, _, keywords = schema.partition("*, ")
    return _WRITES in keywords.rpartition(") -> ")[0] and _WRITES not in positional


def operator_effects(name: str, *, with_out: bool = True) -> Effects:
    """The effects of any call of an operator, by its ATen name.

    with_out: also of the calls that give it a tensor to write into, `:out`.
    """
    if name not in _marks():
        return _UNKNOWN
    text, has_out = _marks()[name]
    effects = Effects.parse(text)
    if not (with_out and has_out):
        return effects
    return replace(effects, writes=effects.writes | Memory.TENSOR)


def returns_tensors(name: str) -> bool:
    """Whether an operator, by its ATen name, may return tensors."""
    return name not in _plain_operators()


def marks_of(schemas: list[str]) -> tuple[str, bool]:
    """What MARKS says of an operator: the effects of its overloads, and whether some are `out`."""
    usual = [s for s in schemas if not is_out_overload(s)]
    effects = reduce(Effects.__or__, map(schema_effects, usual or schemas))
    return str(effects), len(usual) < len(schemas)


@cache
def _marks() -> dict[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = {}
    for effects, names in MARKS.items():
        for name in names.split():
            found[name.removesuffix(":")] = effects, name.endswith(":")
    return found


@cache
def _plain_operators() -> frozenset[str]:
    return frozenset(PLAIN.split())
