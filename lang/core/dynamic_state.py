"""Which code of the library restores the dynamic state: Ctrl-C waits while it runs.

That is all of stdlib/language/control.lisp, and each procedure that restores something around a
`%try` of its own.  What such code calls may be interrupted.
"""

from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.source import Span

_CONTROL = "stdlib/language/control.lisp"


def is_in_control(span: Span) -> bool:
    """Whether the text of a definition is in the file that is all about the dynamic state."""
    return span.source.name == _CONTROL


def is_try(primitive: Primitive) -> bool:
    """Whether it calls a thunk, and returns what goes wrong there as an object."""
    return primitive.symbol == "rt_try"
