"""Drops operations that can neither fail nor be noticed, and whose result nobody uses.

    t1 = closure f[]      =>      yield t2
    yield t2

Comes after types, whose conversions leave unboxed and boxed forms of a value behind, and before
ownership, which would have to free what is made for nothing.
"""

from dataclasses import replace
from typing import assert_never

from lambent.lang.compile.ir.anf import (
    Anf,
    Bind,
    Block,
    CellGet,
    Convert,
    Free,
    Function,
    GlobalGet,
    If,
    IsAbsent,
    Literal,
    Loop,
    MakeClosure,
    PrimitiveValue,
    Representation,
    SlotGet,
    Statement,
)
from lambent.lang.compile.ir.operands import all_blocks, end_operands, operands, statement_operands


def drop_unused(program: Anf) -> Anf:
    """The program without what is made for nothing."""
    functions = tuple([_dropped(function) for function in program.functions])
    return replace(program, functions=functions, main=_dropped(program.main))


def _dropped(function: Function) -> Function:
    uses = _uses(function.body)
    makers = {
        statement.name: statement.operation
        for block in all_blocks(function.body)
        for statement in block.statements
        if isinstance(statement, Bind) and _is_idle(statement)
    }
    idle: set[str] = set()
    waiting = [name for name in makers if not uses.get(name)]
    while waiting:
        name = waiting.pop()
        idle.add(name)
        for operand in operands(makers[name]):
            uses[operand] -= 1
            if not uses[operand] and operand in makers:
                waiting.append(operand)
    return replace(function, body=_without(function.body, idle)) if idle else function


def _uses(body: Block) -> dict[str, int]:
    uses: dict[str, int] = {}
    for block in all_blocks(body):
        for statement in block.statements:
            for name in statement_operands(statement):
                uses[name] = uses.get(name, 0) + 1
        for name in end_operands(block.end):
            uses[name] = uses.get(name, 0) + 1
    return uses


def _is_idle(bind: Bind) -> bool:
    match bind.operation:
        case Literal() | PrimitiveValue() | MakeClosure() | SlotGet() | CellGet() | IsAbsent():
            return True
        case GlobalGet(checked=checked):
            return not checked
        case Convert():
            return bind.representation in (
                Representation.VALUE,
                Representation.NUMBER,
            )  # any other conversion may fail
        case _:
            return False


def _without(block: Block, idle: set[str]) -> Block:
    statements = [_inside(s, idle) for s in block.statements if s.name not in idle]
    return Block(tuple(statements), block.end)


def _inside(statement: Statement, idle: set[str]) -> Statement:
    match statement:
        case If(then=then, orelse=orelse):
            return replace(statement, then=_without(then, idle), orelse=_without(orelse, idle))
        case Loop(body=body):
            return replace(statement, body=_without(body, idle))
        case Bind() | Free():
            return statement
        case _:
            assert_never(statement)
