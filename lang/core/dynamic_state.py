"""Which code of the library restores the dynamic state.  Ctrl-C is deferred while it runs.

It is all of stdlib/language/control.lisp, and every procedure that calls `%try` and restores
something afterwards.  The code that these call may be interrupted.
"""

from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.source import Span

# The primitives that call a thunk and return a failure as an object, and those that do so with the
# result of a direct call, in compiled code.
OF_KNOWN_THUNK = {"%try": "%or-failure", "%try-escape": "%or-escape"}
_CONTROL = "stdlib/language/control.lisp"


def is_in_control(span: Span) -> bool:
    """Whether a definition is in the file that manages the dynamic state."""
    return span.source.name == _CONTROL


def is_try(primitive: Primitive) -> bool:
    """Whether it is `%try` or `%try-escape`, whose last argument is the thunk."""
    return primitive.name in OF_KNOWN_THUNK


def catches(primitive: Primitive) -> bool:
    """Whether it returns a failure as an object."""
    return is_try(primitive) or primitive.name in OF_KNOWN_THUNK.values()
