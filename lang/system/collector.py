"""Python's garbage collector, paused while something large is built; and freed memory, which must
return to the system.

The collector would walk over what is built again and again: without it, the library is analysed in
three quarters of the time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Of glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_KEPT = 1 << 20  # bytes


@contextmanager
def collector_paused() -> Iterator[None]:
    """No collections within the `with`, unless something in it turns them on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def keep_little_memory() -> None:
    """Let the C library keep little of what is freed, where it can; called before threads start.

    Otherwise glibc keeps what threads have freed, apart for each: twice as much as the largest
    block so far.
    """
    import ctypes

    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None:
        option(_M_TRIM_THRESHOLD, _KEPT)
        option(_M_MMAP_THRESHOLD, _KEPT)
        option(_M_ARENA_MAX, 2)


def release_memory() -> None:
    """Free what is on cycles, and return free blocks to the system, where the C library can."""
    import ctypes

    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))
