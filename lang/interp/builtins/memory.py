"""Statistics and limits of the tensors' memory."""

from lambent.lang.interp.builtins.tensors import library
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values.values import FALSE, Lisp, Pair, list_of, symbol

_BYTES = range(2**63)


def memory() -> Lisp:
    """An alist of statistics, after a collection: programs cannot reach uncollected objects."""
    import gc

    gc.collect()
    lib, _ = library()
    return list_of([
        Pair(symbol("live-handles"), lib.ct_live_handles()),
        Pair(symbol("live-bytes"), lib.ct_live_bytes()),
        Pair(symbol("peak-bytes"), lib.ct_peak_bytes()),
        Pair(symbol("cached-bytes"), lib.ct_cached_bytes()),
        Pair(symbol("allocations"), lib.ct_allocations()),
        Pair(symbol("allocated-bytes"), lib.ct_allocated_bytes()),
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
