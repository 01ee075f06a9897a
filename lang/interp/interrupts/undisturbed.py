"""Where Ctrl-C must wait a moment: code that would lose something if an exception came out of it.

An interrupt is an exception that `interrupts.py` raises in the middle of what Lisp's thread does.
It never raises it in functions that are named here:

    @undisturbed       not in the function, and not in what it calls: it writes a file, or explains
                       a failure, and nobody could do the rest later
    @steady            not in the function itself: it undoes something around a call, and what it
                       calls may be interrupted

    @catching          as that, and what comes out of what it calls does not come out of it: `%try`

Emitted code of the library that stands around a `%try` is steady as well: `library.STEADY`.
"""

from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

UNDISTURBED: set[CodeType] = set()
STEADY: set[CodeType] = set()
CATCHING: set[CodeType] = set()


def undisturbed(function: F) -> F:
    UNDISTURBED.add(function.__code__)
    return function


def steady(function: F) -> F:
    STEADY.add(function.__code__)
    return function


def catching(function: F) -> F:
    CATCHING.add(function.__code__)
    return steady(function)


class Deferral:
    """How many after-thunks are running: the first Ctrl-C waits for their end."""

    depth = 0
