"""Bounds checks: accesses to vectors and strings that cannot fail.

    loop i = 0                             n = vector-length(v)
      n = vector-length(v)           =>    loop i = 0
      done = i64.equal(i, n)                 done = i64.equal(i, n)
      if done ... else                       if done ... else
        x = vector-ref(v, i)                   x = inside vector-ref(v, i)

First what is the same in each iteration, and stands before everything that an iteration does, moves
in front of the loop: lengths, and the arithmetic and the tests of the machine.  The first iteration
would have computed it at once, so an error comes at the same time.  Then accesses whose index is
certainly inside (`bounds.py`) get the variant that does not test it.

Runs after `eliminate_dead_code`, when all operations have their variants.
"""

from lambent.lang.compile.ir.anf import (
    Anf,
    Apply,
    Bind,
    Block,
    Free,
    Function,
    If,
    Literal,
    Loop,
    Statement,
)
from lambent.lang.compile.ir.operands import all_blocks, operands, repeating_loops
from lambent.lang.compile.types.bounds import accesses_inside
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.system.dataclass import replace


def remove_bounds_checks(program: Anf) -> Anf:
    """The program without tests of indices that are certainly inside."""
    functions = tuple([_unchecked(_hoisted(function)) for function in program.functions])
    return replace(program, functions=functions, main=_unchecked(_hoisted(program.main)))


# Loop invariants.


def _hoisted(function: Function) -> Function:
    repeating = repeating_loops(function.body)
    if not any(
        isinstance(statement, Bind) and _may_move(statement)
        for block in all_blocks(function.body)
        for statement in block.statements
    ):
        return function
    body = _hoisted_block(function.body, repeating)
    return function if body is function.body else replace(function, body=body)


def _hoisted_block(block: Block, repeating: frozenset[str]) -> Block:
    found: list[Statement] = []
    for statement in block.statements:
        match statement:
            case If(then=then, orelse=orelse):
                branches = _hoisted_block(then, repeating), _hoisted_block(orelse, repeating)
                if branches[0] is not then or branches[1] is not orelse:
                    statement = replace(statement, then=branches[0], orelse=branches[1])
                found.append(statement)
            case Loop():
                found += _with_invariants_before(statement, repeating)
            case Bind() | Free():
                found.append(statement)
    same = len(found) == len(block.statements) and all(map(_is, found, block.statements))
    return block if same else Block(tuple(found), block.end)


def _is(one: object, other: object) -> bool:
    return one is other


def _with_invariants_before(loop: Loop, repeating: frozenset[str]) -> list[Statement]:
    """The loop, and before it what it computes first, in each iteration alike."""
    body = _hoisted_block(loop.body, repeating)
    moved: list[Bind] = []
    if loop.label in repeating:
        moved = _invariants(loop, body)
        if moved:
            stay = [s for s in body.statements if all(s is not one for one in moved)]
            body = Block(tuple(stay), body.end)
            moved = [_outside(bind, loop) for bind in moved]
    return [*moved, loop if body is loop.body else replace(loop, body=body)]


def _invariants(loop: Loop, body: Block) -> list[Bind]:
    """What each iteration computes alike before everything else."""
    found: list[Bind] = []
    varies = {variable.name for variable in loop.variables}
    for statement in body.statements:
        if not isinstance(statement, Bind):
            break
        if isinstance(statement.operation, Literal):
            varies.add(statement.name)
        elif _may_move(statement) and varies.isdisjoint(operands(statement.operation)):
            found.append(statement)
        else:
            break
    return found


def _may_move(bind: Bind) -> bool:
    """Whether it computes the same wherever it stands, unless it fails."""
    match bind.operation:
        case Apply(primitive, variant=variant):
            is_machine = variant is not None and isinstance(variant.code, Machine)
            return is_machine or primitive.measures
    return False


def _outside(bind: Bind, loop: Loop) -> Bind:
    """It still belongs to the procedure that the loop comes from."""
    inlined = bind.inlined if loop.inlined is None else (loop.inlined, *bind.inlined)
    return replace(bind, inlined=inlined)


# Accesses.


def _unchecked(function: Function) -> Function:
    inside = accesses_inside(function)
    if not inside:
        return function
    return replace(function, body=_unchecked_block(function.body, inside))


def _unchecked_block(block: Block, inside: frozenset[str]) -> Block:
    return Block(tuple([_unchecked_statement(s, inside) for s in block.statements]), block.end)


def _unchecked_statement(statement: Statement, inside: frozenset[str]) -> Statement:
    match statement:
        case Bind(name, operation=Apply(primitive, variant=Variant() as variant) as apply):
            if name not in inside or (better := _without_test(primitive, variant)) is None:
                return statement
            return replace(statement, operation=replace(apply, variant=better))
        case If(then=then, orelse=orelse):
            return replace(
                statement,
                then=_unchecked_block(then, inside),
                orelse=_unchecked_block(orelse, inside),
            )
        case Loop(body=body):
            return replace(statement, body=_unchecked_block(body, inside))
    return statement


def _without_test(primitive: Primitive, variant: Variant) -> Variant | None:
    """The variant that does the same and does not test the index."""
    for other in primitive.variants:
        if (
            (other.inside or other.of_doubles)
            and not other.fails
            and other.of_doubles is variant.of_doubles
            and other.signature == variant.signature
        ):
            return other
    return None
