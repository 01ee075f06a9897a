"""The verifier of bounds: an access that does not test its index has one that is inside.

    x = inside vector-ref(v, i)      BoundsError, unless `bounds.py` knows that i is at least 0 and
                                     below the length of v

Accesses to vectors of doubles are proved by `check_doubles`.
"""

from lambent.lang.compile.ir.anf import Anf, Apply, Bind, Function
from lambent.lang.compile.ir.blocks import binds_in
from lambent.lang.compile.ir.proved import unproved
from lambent.lang.compile.ir.text import place_text
from lambent.lang.compile.types.bounds import accesses_inside


class BoundsError(Exception):
    """An index that may not be inside: a bug of the compiler."""


def check_bounds(program: Anf, proved: Anf | None = None) -> None:
    """Raise BoundsError unless each access that does not test its index needs no test.

    proved: the program before the last pass, if that has been proved.
    """
    for function in unproved(program, proved):
        _check(function)


def _check(function: Function) -> None:
    trusted = list(filter(_is_trusted, binds_in(function.body)))
    inside = accesses_inside(function) if trusted else frozenset()
    for statement in trusted:
        if statement.name not in inside:
            place = place_text(statement)
            raise BoundsError(f"{function.name}: the index may not be inside, at: {place}")


def _is_trusted(bind: Bind) -> bool:
    match bind.operation:
        case Apply(variant=variant) if variant is not None:
            return variant.inside
    return False
