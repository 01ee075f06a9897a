"""Binds arguments to the parameters of procedures with keywords, and spreads those of `apply`."""

from collections.abc import Sequence

from lambent.lang.errors import LispError
from lambent.lang.interp.errors.faults import wrong_type
from lambent.lang.interp.values.values import (
    ABSENT,
    Keyword,
    Lisp,
    call_procedure,
    items_of,
    list_of,
)


def bind(
    arguments: Sequence[Lisp],
    keywords: tuple[str, ...],
    required: int,
    has_rest: bool,
    name: str,
    usage: str,
) -> list[Lisp]:
    """A value for each parameter: positional, keyword, rest; ABSENT for absent keywords."""
    positional, named = split_keywords(arguments, keywords, required, name, usage)
    count = len(positional)
    if count < required or (count > required and not has_rest):
        from lambent.lang.core.arity import arity_message

        name, usage, own = _callee(arguments, name, usage)
        most = None if has_rest else required - own
        message = arity_message(name, required - own, most, count - own)
        raise LispError(message, hint=f"usage: {usage}")
    values = positional[:required] + [named.get(k, ABSENT) for k in keywords]
    if has_rest:
        values.append(list_of(positional[required:]))
    return values


def split_keywords(
    arguments: Sequence[Lisp], keywords: Sequence[str], required: int, name: str, usage: str
) -> tuple[list[Lisp], dict[str, Lisp]]:
    """Positional arguments, and the others by keyword.

    The required arguments come first and may be any values; after them, a keyword names the
    argument that follows it.
    """
    positional = list(arguments[:required])
    named: dict[str, Lisp] = {}
    i = len(positional)
    while i < len(arguments):
        argument = arguments[i]
        i += 1
        if argument.__class__ is not Keyword:
            positional.append(argument)
            continue
        keyword = argument.name
        problem = None
        if keyword not in keywords:
            problem = f"unknown keyword :{keyword}"
        elif i == len(arguments):
            problem = f"keyword :{keyword} has no value"
        elif keyword in named:
            problem = f"keyword :{keyword} is given twice"
        if problem:
            name, usage, _ = _callee(arguments, name, usage)
            raise LispError(f"{name}: {problem}", hint=_hint(keyword, keywords, usage))
        named[keyword] = arguments[i]
        i += 1
    return positional, named


def _hint(keyword: str, keywords: Sequence[str], usage: str) -> str:
    """The hint for a keyword that a call cannot have, at least there."""
    if keyword in keywords:
        return f"usage: {usage}"
    from lambent.lang.core.keyword_hints import keyword_hint

    return keyword_hint(keyword, keywords, usage)


def _callee(arguments: Sequence[Lisp], name: str, usage: str) -> tuple[str, str, int]:
    """The callee's name and usage for a message, and how many arguments the call did not write.

    A call of an applicable record passes the record before the arguments.
    """
    call = call_procedure(arguments[0]) if arguments else None
    if call is None:
        return name, usage, 0
    from lambent.lang.interp.values.procedure_facts import facts_of, facts_of_calls

    if facts_of(call).usage != usage:
        return name, usage, 0
    type_name = arguments[0].type_.name
    return type_name, facts_of_calls(type_name, call).usage, 1


def spread(arguments: tuple[Lisp, ...]) -> tuple[Lisp, ...]:
    """The arguments of `apply` as the callee receives them: the last one is a list of arguments."""
    items = items_of(arguments[-1])
    if items is None:
        wrong_type("apply", "a list", arguments[-1])
    return (*arguments[:-1], *items)
