"""Which names a function reads: C compilers warn about variables that it only sets."""

from lambent.lang.compile.ir.anf import (
    Apply,
    Bind,
    Block,
    If,
    Loop,
    LoopVariable,
    Recur,
    SlotSet,
    Yield,
)
from lambent.lang.compile.ir.operands import all_blocks, end_operands, statement_operands


def read_names(body: Block) -> frozenset[str]:
    """The names that the function reads.

    The value that a branch yields counts only if the If's own name is read or owned, and the values
    of a loop's variable only if the variable is.  A slot that is only set does not count, nor what
    tells which field is read of an object that certainly has it.
    """
    used: set[str] = set()
    loops: dict[str, Loop] = {}
    receivers: dict[int, If | Loop] = {}  # by the identity of the block whose value they get
    sources: list[tuple[LoopVariable | If | Loop, str]] = []
    for block in all_blocks(body):
        for statement in block.statements:
            match statement:
                case Bind(operation=SlotSet(_, value)):
                    used.add(value)
                case Bind(operation=Apply(_, arguments, field=str() | int())):
                    used.add(arguments[0])
                case If(test=test, then=then, orelse=orelse):
                    used.add(test)
                    receivers |= {id(then): statement, id(orelse): statement}
                case Loop(label=label, variables=variables, body=loop_body):
                    loops[label] = receivers[id(loop_body)] = statement
                    sources += [(variable, variable.initial) for variable in variables]
                case _:
                    used.update(statement_operands(statement))
        match block.end:
            case Recur(label, arguments):
                sources += zip(loops[label].variables, arguments, strict=True)
            case Yield(name) if id(block) in receivers:
                sources.append((receivers[id(block)], name))
            case end:
                used.update(end_operands(end))
    return frozenset(_with_sources(used, sources))


def _with_sources(used: set[str], sources: list[tuple[LoopVariable | If | Loop, str]]) -> set[str]:
    """The used names, and all names that are moved into them."""
    moved: dict[str, list[str]] = {}
    for target, source in sources:
        if target.representation.on_heap and target.own:
            used.add(source)
        moved.setdefault(target.name, []).append(source)
    waiting = list(used)
    while waiting:
        for source in moved.get(waiting.pop(), ()):
            if source not in used:
                used.add(source)
                waiting.append(source)
    return used
