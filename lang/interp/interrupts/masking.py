"""Functions in which Ctrl-C is masked: code that would lose something if an exception left it.

An interrupt is an exception that `delivery.py` raises while Lisp's thread runs.  It is never raised
in the functions that these decorators mark:

    @interrupts_masked   not in the function, nor in what it calls: it writes a file, or explains a
                         failure, and nobody could complete that later
    @frame_masked        not in the function itself, which restores something after a call; what it
                         calls may be interrupted
    @catching            as @frame_masked; exceptions of what it calls do not leave it: `%try`

Emitted code of the library around a `%try` is masked as with @frame_masked: `library.MASKED_KEY`.
"""

from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

MASKED: set[CodeType] = set()
MASKED_FRAMES: set[CodeType] = set()
CATCHING: set[CodeType] = set()


def interrupts_masked(function: F) -> F:
    MASKED.add(function.__code__)
    return function


def frame_masked(function: F) -> F:
    MASKED_FRAMES.add(function.__code__)
    return function


def catching(function: F) -> F:
    CATCHING.add(function.__code__)
    return frame_masked(function)


class _Deferral:
    """How many after-thunks are running: the first Ctrl-C waits until they have ended."""

    __slots__ = ("depth",)

    def __init__(self) -> None:
        self.depth = 0


DEFERRAL = _Deferral()
