"""Calls of known procedures: which argument belongs to which parameter.

(define (f x :dim -1 . rest) ...)   (f 1 :dim 2 3)  =>  x is 1, dim 2, rest (3)
"""

from collections.abc import Container, Sequence

from lambent.lang.core.ir import Const, Core, Lambda, Let, Letrec, Local
from lambent.lang.syntax.datum import Keyword


def parameters_of(code: Lambda) -> list[str]:
    """The variables that a call binds, in order."""
    names = [*code.parameters, *(keyword.name for keyword in code.keywords)]
    return [*names, code.rest] if code.rest else names


def bound_by(core: Core) -> list[str]:
    """The variables that an expression binds, for the expressions inside it."""
    match core:
        case Let(name):
            return [name]
        case Letrec(bindings):
            return [name for name, _ in bindings]
        case Lambda():
            return parameters_of(core)
    return []


def fits(code: Lambda, arguments: tuple[Core, ...]) -> bool:
    """Whether the text alone matches arguments with parameters, and their number is right.

    Any other call is checked at run time, which reports what is wrong.
    """
    if not code.keywords:
        least = len(code.parameters)
        return len(arguments) == least or (code.rest is not None and len(arguments) > least)
    return keyword_indices(code, arguments) is not None


def keyword_indices(code: Lambda, arguments: tuple[Core, ...]) -> dict[str, int] | None:
    """The index of the value of each keyword argument.

    None for a wrong call, and for one that can only be matched at run time: after the required
    arguments a variable, too, may hold a keyword.
    """
    least = len(code.parameters)
    if len(arguments) < least:
        return None
    positions: dict[str, int] = {}
    declared = {parameter.keyword for parameter in code.keywords}
    index = least
    while index < len(arguments):
        match arguments[index]:
            case Const(Keyword(name)):
                if name not in declared or name in positions or index + 1 == len(arguments):
                    return None
                positions[name] = index + 1
                index += 2
            case Const() if code.rest is not None:
                index += 1
            case _:
                return None
    return positions


def unchanged_parameters(
    code: Lambda, calls: Sequence[Sequence[Core]], assigned: Container[str]
) -> frozenset[str]:
    """The positional parameters that keep their value in all recursive calls of a procedure.

    calls: the arguments of those calls.  assigned: the variables that some `set!` changes.
    """
    return frozenset(
        name
        for index, name in enumerate(code.parameters)
        if name not in assigned and all(_passes(call, index, name) for call in calls)
    )


def _passes(arguments: Sequence[Core], index: int, name: str) -> bool:
    if index >= len(arguments):
        return False
    argument = arguments[index]
    return isinstance(argument, Local) and argument.name == name
