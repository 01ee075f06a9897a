"""Which parts of a value are printed with a label: `#0=(1 . #0#)`.

A part that is met again while its own parts are walked closes a circle; `write-shared` labels all
that is met twice.  Apart from `printing.py` because few values are printed that need it;
`runtime/ports/labels.c` is its twin.
"""

from typing import Any

from lambent.lang.interp.io.printing import is_compound, pieces_of
from lambent.lang.interp.values.values import Lisp, Pair


class Labels:
    """The identities of what is labelled, and the labels that have been printed."""

    def __init__(self, wanted: set[int]) -> None:
        self.wanted = wanted
        self.printed: dict[int, int] = {}

    def print(self, value: Lisp, parts: list[str]) -> bool:
        """Print the label of a value, if it has one; False if that is all to print."""
        identity = id(value)
        if identity not in self.wanted:
            return True
        number = self.printed.get(identity)
        if number is not None:
            parts.append(f"#{number}#")
            return False
        number = self.printed[identity] = len(self.printed)
        parts.append(f"#{number}=")
        return True


def find_labels(root: Lisp, shared: bool) -> Labels:
    """What is printed with a label.  The walk is in the order of printing, as in executables."""
    wanted: set[int] = set()
    is_open: dict[int, bool] = {}
    waiting: list[Any] = [root]
    while waiting:
        value = waiting.pop()
        if value.__class__ is list:  # the parts of all these have been walked
            for identity in value:
                is_open[identity] = False
            continue
        walked: list[int] = []
        while True:
            identity = id(value)
            known = is_open.get(identity)
            if known is not None:
                if known or shared:
                    wanted.add(identity)
                break
            is_open[identity] = True
            walked.append(identity)
            if value.__class__ is not Pair:
                found = list(filter(is_compound, pieces_of(value)))
                waiting.append(walked)
                waiting += reversed(found)
                walked = []
                break
            first, value = value.car, value.cdr
            if is_compound(first):
                waiting.append(walked)
                if is_compound(value):
                    waiting.append(value)
                waiting.append(first)
                walked = []
                break
            if not is_compound(value):
                break
        for identity in walked:
            is_open[identity] = False
    return Labels(wanted)
