"""Whose code a function is.  That is decided where procedures are collected, by the definition that
they are a part of, and all passes keep it.

    (define (f x) (for-each g x))   f, with what is copied into it, such as for-each: the program's
    for-each, as a function         the library's: programs share its C, which may not depend on
                                    what only one of them does
    %guarded                        the library's, and it restores the dynamic state

The span of a function says something else: whether traces show it.  The procedures that `guard` or
`define-record-type` add to a program have none of the program's text, and are the program's.
"""

from enum import Enum

from lambent.lang.core.dynamic_state import is_in_control
from lambent.lang.core.ir import Namespace
from lambent.lang.syntax.source import Span


class Owner(Enum):
    """The value is for people."""

    PROGRAM = "the program"
    LIBRARY = "the library"
    CONTROL = "the part of the library that restores the dynamic state"

    @property
    def is_library(self) -> bool:
        return self is not Owner.PROGRAM


def owner_of(namespace: Namespace, definition: Span) -> Owner:
    """The owner of a definition, and of the procedures in it."""
    if namespace is not Namespace.LIBRARY:
        return Owner.PROGRAM
    return Owner.CONTROL if is_in_control(definition) else Owner.LIBRARY
