"""New names: each pass makes some, and every local name of a program stays unique.

    fresh("x", {"x", "x.2"})  =>  "x.3"
"""

from collections.abc import Container
from itertools import count


def fresh(wanted: str, taken: Container[str], mark: str = ".") -> str:
    """The wanted name, or with a number behind the mark if that is taken."""
    if wanted not in taken:
        return wanted
    numbered = (f"{wanted}{mark}{number}" for number in count(2))
    return next(name for name in numbered if name not in taken)
