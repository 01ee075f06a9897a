"""New names: each pass makes some, and every local name of a program stays unique.

    fresh("x", {"x", "x.2"})  =>  "x.3"
"""

from collections.abc import Container

Numbers = dict[str, int]


def fresh(wanted: str, taken: Container[str], numbers: Numbers, mark: str = ".") -> str:
    """The wanted name, or with a number behind the mark if that is taken.

    numbers: the next one to try for each name, so that a thousand lambdas are not counted a
    thousand times; a name that was taken once stays so.
    """
    if wanted not in taken:
        return wanted
    number = numbers.get(wanted, 2)
    while (name := f"{wanted}{mark}{number}") in taken:
        number += 1
    numbers[wanted] = number
    return name
