"""Dead-code elimination: drops operations without effects whose result is not used.

    t1 = closure f[]      =>      yield t2
    yield t2

Runs after `convert`, which leaves unused boxed or unboxed copies of values, and before ownership,
which would have to free unused results.
"""

from collections import Counter
from itertools import chain

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    DirectCall,
    Dup,
    Function,
    NewCell,
    NewSlot,
    SlotSet,
)
from lambent.lang.compile.ir.blocks import (
    binds_in,
    ends_in,
    map_body,
    map_functions,
    map_statements,
    statements_in,
)
from lambent.lang.compile.ir.operands import end_operands, operands, statement_operands
from lambent.lang.compile.ir.operation_effects import effects_of


def eliminate_dead_code(program: Anf) -> Anf:
    """The program without operations whose result is not used."""
    return map_functions(program, _without_dead_code)


def _without_dead_code(function: Function) -> Function:
    uses = _uses(function.body)
    definitions = {b.name: b.operation for b in binds_in(function.body) if is_pure(b)}
    dead: set[str] = set()
    waiting = [name for name in definitions if not uses.get(name)]
    while waiting:
        name = waiting.pop()
        dead.add(name)
        for operand in operands(definitions[name]):
            uses[operand] -= 1
            if not uses[operand] and operand in definitions:
                waiting.append(operand)
    if not dead:
        return function
    return map_body(
        function, lambda body: map_statements(body, lambda s: () if s.name in dead else (s,))
    )


def _uses(body: Block) -> Counter[str]:
    return Counter(
        chain(
            chain.from_iterable(map(statement_operands, statements_in(body))),
            chain.from_iterable(map(end_operands, ends_in(body))),
        )
    )


def is_pure(bind: Bind) -> bool:
    """Whether it does nothing besides computing its result.  Calls, and what binds cells and slots,
    stay."""
    if isinstance(bind.operation, DirectCall | NewCell | NewSlot | SlotSet | Dup):
        return False
    return effects_of(bind.operation, bind.representation, tensors=True).is_pure
