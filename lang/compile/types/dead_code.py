"""Dead-code elimination: drops operations without effects whose result is not used.

    t1 = closure f[]      =>      yield t2
    yield t2

Runs after `convert`, which leaves unused boxed or unboxed copies of values, and before ownership,
which would have to free unused results.
"""

from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    DirectCall,
    Dup,
    Free,
    Function,
    If,
    Loop,
    NewCell,
    NewSlot,
    SlotSet,
    Statement,
)
from lambent.lang.compile.ir.operands import all_blocks, end_operands, operands, statement_operands
from lambent.lang.compile.ir.operation_effects import effects_of
from lambent.lang.system.dataclass import replace


def eliminate_dead_code(program: Anf) -> Anf:
    """The program without operations whose result is not used."""
    functions = tuple([_without_dead_code(function) for function in program.functions])
    return replace(program, functions=functions, main=_without_dead_code(program.main))


def _without_dead_code(function: Function) -> Function:
    uses = _uses(function.body)
    definitions = {
        statement.name: statement.operation
        for block in all_blocks(function.body)
        for statement in block.statements
        if isinstance(statement, Bind) and is_pure(statement)
    }
    dead: set[str] = set()
    waiting = [name for name in definitions if not uses.get(name)]
    while waiting:
        name = waiting.pop()
        dead.add(name)
        for operand in operands(definitions[name]):
            uses[operand] -= 1
            if not uses[operand] and operand in definitions:
                waiting.append(operand)
    return replace(function, body=_without(function.body, dead)) if dead else function


def _uses(body: Block) -> dict[str, int]:
    uses: dict[str, int] = {}
    for block in all_blocks(body):
        for statement in block.statements:
            for name in statement_operands(statement):
                uses[name] = uses.get(name, 0) + 1
        for name in end_operands(block.end):
            uses[name] = uses.get(name, 0) + 1
    return uses


def is_pure(bind: Bind) -> bool:
    """Whether it does nothing besides computing its result.  Calls, and what binds cells and slots,
    stay."""
    if isinstance(bind.operation, DirectCall | NewCell | NewSlot | SlotSet | Dup):
        return False
    return effects_of(bind.operation, bind.representation, tensors=True).is_pure


def _without(block: Block, dead: set[str]) -> Block:
    statements = [_inside(s, dead) for s in block.statements if s.name not in dead]
    return Block(tuple(statements), block.end)


def _inside(statement: Statement, dead: set[str]) -> Statement:
    match statement:
        case If(then=then, orelse=orelse):
            return replace(statement, then=_without(then, dead), orelse=_without(orelse, dead))
        case Loop(body=body):
            return replace(statement, body=_without(body, dead))
        case Bind() | Free():
            return statement
        case _:
            assert_never(statement)
