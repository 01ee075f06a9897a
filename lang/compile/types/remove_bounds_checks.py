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

from collections.abc import Sequence

from lambent.lang.compile.ir.anf import Anf, Apply, Bind, Function, Literal, Loop, Statement
from lambent.lang.compile.ir.blocks import (
    binds_in,
    map_body,
    map_functions,
    map_operations,
    map_statements,
    with_inner,
    with_statements,
)
from lambent.lang.compile.ir.operands import operands, repeating_loops
from lambent.lang.compile.types.bounds import accesses_inside
from lambent.lang.primitives.machine import Machine
from lambent.lang.primitives.table import Primitive, Variant
from lambent.lang.system.dataclass import replace


def remove_bounds_checks(program: Anf) -> Anf:
    """The program without tests of indices that are certainly inside."""
    return map_functions(program, lambda function: _unchecked(_hoisted(function)))


# Loop invariants.


def _hoisted(function: Function) -> Function:
    repeating = repeating_loops(function.body)
    if not any(map(_may_move, binds_in(function.body))):
        return function

    def hoisted(statement: Statement) -> Sequence[Statement]:
        if isinstance(statement, Loop) and statement.label in repeating:
            return _with_invariants_before(statement)
        return (statement,)

    return map_body(function, lambda body: map_statements(body, hoisted))


def _with_invariants_before(loop: Loop) -> list[Statement]:
    """The loop, and before it what it computes first, in each iteration alike."""
    moved = _invariants(loop)
    stay = [s for s in loop.body.statements if all(s is not one for one in moved)]
    rest = with_inner(loop, lambda body: with_statements(body, stay))
    return [*[_outside(bind, loop) for bind in moved], rest]


def _invariants(loop: Loop) -> list[Bind]:
    """What each iteration computes alike before everything else."""
    found: list[Bind] = []
    varies = {variable.name for variable in loop.variables}
    for statement in loop.body.statements:
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

    def unchecked(bind: Bind) -> Bind:
        match bind:
            case Bind(name, operation=Apply(primitive, variant=Variant() as variant) as apply):
                if name in inside and (better := _without_test(primitive, variant)) is not None:
                    return replace(bind, operation=replace(apply, variant=better))
        return bind

    return map_body(function, lambda body: map_operations(body, unchecked))


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
