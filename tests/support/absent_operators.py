"""The operators of other versions of LibTorch than the one that is installed."""

from functools import cache

from lambent.ctorch.build import find_torch
from lambent.lang.reference.operator_docs import operator_versions


@cache
def absent_operators() -> frozenset[str]:
    """By ATen's names."""
    minor = int(find_torch().version.split(".")[1])
    return frozenset(
        name
        for name, (since, until) in operator_versions().items()
        if not since <= minor <= (until or minor)
    )
