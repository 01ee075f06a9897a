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
        for use in _uses(function):
            if not isinstance(use, MakeClosure) and (caught or not _is_caught(use)):
                callers.setdefault(use.function, {}).setdefault(name)
    return {callee: list(names) for callee, names in callers.items()}


def _is_caught(call: DirectCall | DirectTailCall) -> bool:
    return isinstance(call, DirectCall) and call.caught


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


def called(function: Function) -> Iterator[str]:
    """The functions that a function calls."""
    return (use.function for use in _uses(function) if not isinstance(use, MakeClosure))


def mentioned_values(function: Function) -> Iterator[str]:
    """The functions that a function makes values of."""
    return (use.function for use in _uses(function) if isinstance(use, MakeClosure))


def mentioned(function: Function) -> Iterator[str]:
    """The functions that a function calls, or makes values of."""
    return (use.function for use in _uses(function))


def _uses(function: Function) -> Iterator[DirectCall | DirectTailCall | MakeClosure]:
    for block in all_blocks(function.body):
        for statement in block.statements:
            match statement:
                case Bind(operation=DirectCall() | MakeClosure() as use):
                    yield use
        if isinstance(block.end, DirectTailCall):
            yield block.end
