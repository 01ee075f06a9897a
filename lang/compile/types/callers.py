"""The callers of each function, for passes that visit a function again when a callee has changed.

    (define (f) (g))  (define (h) (+ (g) (f)))   =>   {g: [f, h], f: [h]}
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lambent.lang.compile.ir.anf import Bind, DirectCall, DirectTailCall, Function, MakeClosure
from lambent.lang.compile.ir.operands import all_blocks


def callers_of(functions: Mapping[str, Function], *, caught: bool = True) -> dict[str, list[str]]:
    """For each function those that call it directly, each once, in order.

    caught: also where its failure becomes a value.
    """
    callers: dict[str, dict[str, None]] = {}
    for name, function in functions.items():
        for block in all_blocks(function.body):
            for statement in block.statements:
                match statement:
                    case Bind(operation=DirectCall(callee) as call) if caught or not call.caught:
                        callers.setdefault(callee, {}).setdefault(name)
            if isinstance(block.end, DirectTailCall):
                callers.setdefault(block.end.function, {}).setdefault(name)
    return {callee: list(names) for callee, names in callers.items()}


def with_callers(found: Iterable[str], callers: Mapping[str, Sequence[str]]) -> set[str]:
    """The functions found, and all that call one of them, directly or not."""
    reached = set(found)
    waiting = list(reached)
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            if caller not in reached:
                reached.add(caller)
                waiting.append(caller)
    return reached


def mentioned_values(function: Function) -> Iterator[str]:
    """The functions that a function makes values of."""
    for block in all_blocks(function.body):
        for statement in block.statements:
            match statement:
                case Bind(operation=MakeClosure(name)):
                    yield name


def called(function: Function) -> Iterator[str]:
    """The functions that a function calls."""
    for block in all_blocks(function.body):
        for statement in block.statements:
            match statement:
                case Bind(operation=DirectCall(name)):
                    yield name
        if isinstance(block.end, DirectTailCall):
            yield block.end.function


def mentioned(function: Function) -> Iterator[str]:
    """The functions that a function calls, or makes values of."""
    for block in all_blocks(function.body):
        for statement in block.statements:
            match statement:
                case Bind(operation=DirectCall(name) | MakeClosure(name)):
                    yield name
        if isinstance(block.end, DirectTailCall):
            yield block.end.function
