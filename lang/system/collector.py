"""Python's garbage collector, paused while something large is built that stays alive.

The collector would walk over all of it again and again: without it, the library is analysed in
three quarters of the time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
