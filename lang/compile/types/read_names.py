"""Which names a function reads: C compilers warn about variables that it only sets."""

from collections.abc import Iterable

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    Loop,
    Recur,
    SlotSet,
    Yield,
)
from lambent.lang.compile.ir.blocks import Target, ends_in, moves_in, statements_in
from lambent.lang.compile.ir.operands import end_operands, statement_operands


def read_names(body: Block) -> frozenset[str]:
    """The names that the function reads.

    The value that a branch yields counts only if the If's own name is read or owned, and the values
    of a loop's variable only if the variable is.  A slot that is only set does not count, nor what
    tells which field is read of an object that certainly has it.
    """
    used: set[str] = set()
    for statement in statements_in(body):
        match statement:
            case Bind(operation=SlotSet(_, value)):
                used.add(value)
            case Bind(operation=Apply(_, arguments, field=str() | int())):
                used.add(arguments[0])
            case Loop():
                pass  # its variables count if they are read
            case _:
                used.update(statement_operands(statement))
    for end in ends_in(body):
        if not isinstance(end, Recur | Yield):
            used.update(end_operands(end))
    return frozenset(_with_sources(used, moves_in(body)))


def _with_sources(used: set[str], moves: Iterable[tuple[str, Target]]) -> set[str]:
    """The used names, and all names that are moved into them."""
    moved: dict[str, list[str]] = {}
    for source, target in moves:
        if target is None or (target.representation.on_heap and target.own):
            used.add(source)
        if target is not None:
            moved.setdefault(target.name, []).append(source)
    waiting = list(used)
    while waiting:
        for source in moved.get(waiting.pop(), ()):
            if source not in used:
                used.add(source)
                waiting.append(source)
    return used
