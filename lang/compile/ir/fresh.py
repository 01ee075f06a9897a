"""New names: passes create some, and every local name of a program stays unique.

    fresh("x", {"x", "x.2"})  =>  "x.3"
"""

from collections.abc import Container

Numbers = dict[str, int]


def fresh(preferred: str, taken: Container[str], numbers: Numbers, separator: str = ".") -> str:
    """The preferred name, with a number after the separator if it is taken.

    numbers: the next number to try for each name, so that naming a thousand lambdas takes linear
    time.  A name that was taken once stays taken.
    """
    if preferred not in taken:
        return preferred
    number = numbers.get(preferred, 2)
    while (name := f"{preferred}{separator}{number}") in taken:
        number += 1
    numbers[preferred] = number
    return name
