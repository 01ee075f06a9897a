"""Calls of procedures whose parameters are known: which argument is whose.

(define (f x :dim -1 . rest) ...)   (f 1 :dim 2 3)  =>  x is 1, dim 2, rest (3)
"""

from lambent.lang.compile.ir.anf import KeywordSlot
from lambent.lang.core.ir import Const, Core, Lambda
from lambent.lang.syntax.datum import Keyword


def parameters_of(code: Lambda) -> list[str]:
    """The variables that a call gives values to, in order."""
    names = [*code.parameters, *(keyword.name for keyword in code.keywords)]
    return [*names, code.rest] if code.rest else names


def keyword_slots(code: Lambda) -> tuple[KeywordSlot, ...]:
    least = len(code.parameters)
    return tuple(
        [KeywordSlot(keyword.keyword, least + i) for i, keyword in enumerate(code.keywords)]
    )


def fits(code: Lambda, arguments: tuple[Core, ...]) -> bool:
    """Whether a call's arguments can be told apart, and are as many as the procedure takes.

    A keyword procedure's call that is wrong is left to the running program, as any wrong call.
    """
    if not code.keywords:
        least = len(code.parameters)
        return len(arguments) == least or (code.rest is not None and len(arguments) > least)
    return keyword_places(code, arguments) is not None


def keyword_places(code: Lambda, arguments: tuple[Core, ...]) -> dict[str, int] | None:
    """For each keyword that a call gives the index of its value; None for a call that is wrong, or
    that only the running program can sort out: behind the required arguments a variable, too, may
    hold a keyword.
    """
    least = len(code.parameters)
    if len(arguments) < least:
        return None
    given: dict[str, int] = {}
    declared = {parameter.keyword for parameter in code.keywords}
    index = least
    while index < len(arguments):
        match arguments[index]:
            case Const(Keyword(name)):
                if name not in declared or name in given or index + 1 == len(arguments):
                    return None
                given[name] = index + 1
                index += 2
            case Const() if code.rest is not None:
                index += 1
            case _:
                return None
    return given
