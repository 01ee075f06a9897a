"""Statistics and limits of the tensors' memory, and Python's collector.

That frees the cycles of scripts, as runtime/memory/collect.c does those of executables.  Only
programs that ask for these numbers load this module.  Tensors are counted by the handles that are
alive before and after each collection.
"""

import gc
from collections.abc import Callable
from time import perf_counter
from typing import Any

from lambent.lang.interp.builtins.tensors import library
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.interrupts.masking import interrupts_masked
from lambent.lang.interp.native import in_native
from lambent.lang.interp.values.values import (
    FALSE,
    UNSPECIFIED,
    Lisp,
    Pair,
    list_of,
    symbol,
)

_BYTES = range(2**63)


class Collected:
    """count: collections.  objects, handles: what they freed.  longest: seconds of the longest one
    that the program did not ask for."""

    def __init__(self) -> None:
        self.count = self.objects = self.handles = 0
        self.longest = 0.0
        self._start = 0.0
        self._before = 0
        self._asked = False
        self._live: Callable[[], int] | None = None

    def watch(self, live: Callable[[], int]) -> None:
        """Count handles, too, from now on."""
        self._live = live

    def collect(self) -> None:
        """Free all cycles."""
        self._asked = True
        try:
            gc.collect()
        finally:
            self._asked = False

    @interrupts_masked
    def notice(self, phase: str, details: dict[str, Any]) -> None:
        """Python calls this at the start and at the end of each collection."""
        live = self._live() if self._live else 0
        if phase == "start":
            self._start, self._before = perf_counter(), live
            return
        self.count += 1
        self.objects += details["collected"]
        self.handles += max(self._before - live, 0)
        if not self._asked:
            self.longest = max(self.longest, perf_counter() - self._start)


COLLECTED = Collected()


def if_room(function: Callable[..., None]) -> Callable[..., None]:
    """In C, the function does nothing where the recursion is too deep or the memory too little for
    its call: Python would print that a collection there has failed."""
    return function


gc.callbacks.append(in_native(if_room)(COLLECTED.notice))


def collect_garbage() -> Lisp:
    COLLECTED.collect()
    return UNSPECIFIED


def garbage_statistics() -> Lisp:
    return list_of([
        Pair(symbol("collections"), COLLECTED.count),
        Pair(symbol("freed-objects"), COLLECTED.objects),
        Pair(symbol("freed-handles"), COLLECTED.handles),
        Pair(symbol("longest-pause"), COLLECTED.longest),
    ])


def memory() -> Lisp:
    """An alist of statistics, after a collection: programs cannot reach uncollected objects."""
    lib, _ = library()
    collect_garbage()
    return list_of([
        Pair(symbol("live-handles"), lib.ct_live_handles()),
        Pair(symbol("live-bytes"), lib.ct_live_bytes()),
        Pair(symbol("peak-bytes"), lib.ct_peak_bytes()),
        Pair(symbol("cached-bytes"), lib.ct_cached_bytes()),
        Pair(symbol("allocations"), lib.ct_allocations()),
        Pair(symbol("allocated-bytes"), lib.ct_allocated_bytes()),
        Pair(symbol("collected-handles"), COLLECTED.handles),
    ])


def _bytes(name: str, x: Lisp) -> int:
    if x.__class__ is not int or x not in _BYTES:
        wrong_type(name, "a non-negative exact integer", x)
    return x


def cache_limit(limit: Lisp) -> int:
    number = _bytes("tensor-cache-limit!", limit)
    return library()[0].ct_set_cache_limit(number)  # type: ignore[no-any-return]


def cache_release() -> int:
    return library()[0].ct_release_cache()  # type: ignore[no-any-return]


def memory_limit(limit: Lisp) -> Lisp:
    number = -1 if limit is FALSE else _bytes("tensor-memory-limit!", limit)
    before = library()[0].ct_set_memory_limit(number)
    return FALSE if before < 0 else before
