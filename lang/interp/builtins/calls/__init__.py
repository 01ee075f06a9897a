"""What the library asks of the system by name, as `runtime/system/` does for executables.

    system_call(CALLS, name, words, path, first, second)

The calls take and return Lisp values; an OSError of theirs becomes a Lisp error.
"""

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lambent.lang.errors import FileFault
from lambent.lang.interp.interrupts.masking import frame_masked
from lambent.lang.interp.io.printing import written
from lambent.lang.interp.values.values import FALSE, Lisp, String


@dataclass(frozen=True, slots=True)
class Arguments:
    """path, and to if the call takes a second path, are texts; "" if the call takes none."""

    path: str
    to: str
    first: Lisp
    second: Lisp


Call = Callable[[Arguments], Lisp]


@frame_masked
def system_call(
    calls: Mapping[str, Call], name: str, words: tuple[str, str], path: Lisp, *rest: Lisp
) -> Lisp:
    """The result of the call of that name.  words and path word its error."""
    first, second = rest
    try:
        if "\0" in _text(path) or "\0" in _text(first):
            raise OSError(errno.EINVAL, "")
        return calls[name](Arguments(_text(path), _text(first), first, second))
    except OSError as error:
        who, verb = words
        shown = "" if path is FALSE else f" {written(path)}"
        raise FileFault(f"{who}: cannot {verb}{shown}: {os.strerror(error.errno or 0)}") from None


def _text(x: Lisp) -> str:
    return str(x.text) if x.__class__ is String else ""
