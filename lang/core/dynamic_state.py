"""Which code of the library restores the dynamic state.  Ctrl-C is deferred while it runs.

It is all of stdlib/language/control.lisp, and every procedure that calls `%try` and restores
something afterwards.  The code that these call may be interrupted.
"""

from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.source import Span

_CONTROL = "stdlib/language/control.lisp"


def is_in_control(span: Span) -> bool:
    """Whether a definition is in the file that manages the dynamic state."""
    return span.source.name == _CONTROL


def is_try(primitive: Primitive) -> bool:
    """Whether it is `%try`, which calls a thunk and returns a failure as an object."""
    return primitive.symbol == "rt_try"
