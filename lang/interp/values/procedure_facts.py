"""Facts about a procedure value: its name, how many arguments it takes, its usage.

They are not stored in the functions, so creating a closure costs as much as in Python.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from lambent.lang.interp.emit.unit import UNITS

if TYPE_CHECKING:
    from lambent.lang.primitives.table import Primitive


@dataclass(frozen=True, slots=True)
class ProcedureFacts:
    """What messages say about a Lisp procedure.  most is None if there is no upper bound."""

    name: str | None
    least: int
    most: int | None
    usage: str
    doc: str | None = None


# The values of primitives that are not the builtin functions themselves, and of operators.
PRIMITIVE_VALUES: dict[Callable[..., Any], str] = {}


def facts_of(function: Callable[..., Any]) -> ProcedureFacts:
    """The facts of any procedure."""
    code = function.__code__
    unit = UNITS.get(code.co_filename)
    if unit:
        return unit.procedure(code.co_firstlineno)
    from lambent.lang.interp.builtins.control import CONTINUATION, PARAMETER

    if code is PARAMETER:
        return ProcedureFacts("parameter", 0, 1, "(parameter [value])")
    if code is CONTINUATION:
        return ProcedureFacts("continuation", 0, None, "(continuation results ...)")
    if function.__dict__:  # a function of a Python program
        return function.facts  # type: ignore[attr-defined, no-any-return]
    return _primitive_facts(_primitive_of(function))


def facts_of_calls(type_name: str, call: Callable[..., Any]) -> ProcedureFacts:
    """The facts of calls of an applicable record: its type's procedure without the record."""
    facts = facts_of(call)
    _, _, others = facts.usage.removesuffix(")").partition(" ")
    _, _, others = others.partition(" ")
    usage = f"({type_name} {others})" if others else f"({type_name})"
    most = None if facts.most is None else facts.most - 1
    return ProcedureFacts(type_name, max(facts.least - 1, 0), most, usage, facts.doc)


def _primitive_of(function: Callable[..., Any]) -> "Primitive":
    from lambent.lang.primitives.library import TABLE
    from lambent.lang.primitives.table import operator

    name = PRIMITIVE_VALUES.get(function)
    if name is None:
        return _by_function()[function]
    return TABLE[name] if name in TABLE else operator(name)


@cache
def _by_function() -> dict[Callable[..., Any], "Primitive"]:
    from lambent.lang.interp.builtins import find
    from lambent.lang.primitives.library import TABLE

    functions = {}
    for primitive in TABLE.values():
        function = find(primitive.symbol)
        if function is not None:
            functions[function] = primitive
    return functions


def _primitive_facts(primitive: "Primitive") -> ProcedureFacts:
    signature = primitive.signature
    return ProcedureFacts(primitive.name, signature.least, signature.most, primitive.usage)
