"""Finds the objects in a value that are printed with a label: `#0=(1 . #0#)`.

An object that is met again while its own elements are walked closes a cycle.  `write-shared` labels
all objects that are met twice.  This is not in `printing.py`, because few values need it.
`runtime/ports/labels.c` is the counterpart.
"""

from typing import Any

from lambent.lang.interp.io.printing import is_compound, pieces_of
from lambent.lang.interp.values.values import Lisp, Pair


class Labels:
    """The identities of the labelled objects, and the labels that have been printed."""

    def __init__(self, labelled: set[int]) -> None:
        self.labelled = labelled
        self.printed: dict[int, int] = {}

    def print(self, value: Lisp, texts: list[str]) -> bool:
        """Print the label of a value, if it has one; False if its elements are not printed."""
        identity = id(value)
        if identity not in self.labelled:
            return True
        number = self.printed.get(identity)
        if number is not None:
            texts.append(f"#{number}#")
            return False
        number = self.printed[identity] = len(self.printed)
        texts.append(f"#{number}=")
        return True


def find_labels(root: Lisp, shared: bool) -> Labels:
    """The labels for a value.  The walk is in the order of printing, as in executables."""
    labelled: set[int] = set()
    is_open: dict[int, bool] = {}
    waiting: list[Any] = [root]
    while waiting:
        value = waiting.pop()
        if value.__class__ is list:  # the elements of all these objects have been walked
            for identity in value:
                is_open[identity] = False
            continue
        walked: list[int] = []
        while True:
            identity = id(value)
            opened = is_open.get(identity)
            if opened is not None:
                if opened or shared:
                    labelled.add(identity)
                break
            is_open[identity] = True
            walked.append(identity)
            if value.__class__ is not Pair:
                compounds = list(filter(is_compound, pieces_of(value)))
                waiting.append(walked)
                waiting += reversed(compounds)
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
    return Labels(labelled)
