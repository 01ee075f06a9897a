"""The printed form of the facts of inference, which `lambent show infer` prints.

    area(r: float) -> float
      t1: float
"""

from collections.abc import Iterator

from lambent.lang.compile.ir.anf import Block, Loop
from lambent.lang.compile.ir.operands import inner_blocks
from lambent.lang.compile.types.abstract_types import AbstractType
from lambent.lang.compile.types.infer import Facts
from lambent.lang.compile.types.unboxing import RESULT
from lambent.lang.primitives.ranges import FIXNUMS


def facts_text(facts: Facts) -> str:
    """Each function with the abstract types of its parameters, its result and its names."""
    return "\n".join(_function_text(name, facts) for name in facts.functions)


def _function_text(name: str, facts: Facts) -> str:
    own = facts.functions[name].parameters
    pairs = zip(own, facts.parameters[name], strict=True)
    row = ", ".join(_typed(name, parameter.name, found, facts) for parameter, found in pairs)
    lines = [f"{name}({row}) -> {_text(name, RESULT, facts.results[name], facts)}"]
    types = facts.names[name]
    locals_ = [*(parameter.name for parameter in own), *_names_in(facts.functions[name].body)]
    lines += [f"  {_typed(name, n, types[n], facts)}" for n in locals_ if n in types]
    return "\n".join(lines) + "\n"


def _names_in(block: Block) -> Iterator[str]:
    """The names that a block binds, in the order in which they get their values."""
    for statement in block.statements:
        if isinstance(statement, Loop):
            yield from (variable.name for variable in statement.variables)
        for inner in inner_blocks(statement):
            yield from _names_in(inner)
        yield statement.name


def _typed(function: str, name: str, found: AbstractType, facts: Facts) -> str:
    return f"{name}: {_text(function, name, found, facts)}"


def _text(function: str, name: str, found: AbstractType, facts: Facts) -> str:
    """The abstract type, and the range of an integer that is known better than by its type."""
    declared = facts.range(function, name, found)
    if found is not AbstractType.FIXNUM or declared == FIXNUMS:
        return found.value
    return f"{found.value} {declared}"
