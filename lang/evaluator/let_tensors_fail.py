"""Primitives that take tensors may fail where any value can be an argument.

    t1 = tensor-rank(x)   =>   the same, which fails if x is not a tensor

The compiler tests an argument by an operation of its own, a Convert, before a primitive whose C
function takes a tensor.  Here all values are in generic representation, and the primitive's own
call tests it.  Runs before `find_effects`, which finds what can fail.
"""

from lambent.lang.compile.ir.anf import Anf, Apply, Bind
from lambent.lang.compile.ir.blocks import map_body, map_functions, map_operations
from lambent.lang.primitives.effects import Effects
from lambent.lang.system.dataclass import replace

_FAILS = Effects.parse("fails")


def let_tensors_fail(program: Anf) -> Anf:
    """The program in which each primitive with a parameter that is a tensor may fail."""
    return map_functions(
        program, lambda f: map_body(f, lambda body: map_operations(body, _failing))
    )


def _failing(bind: Bind) -> Bind:
    match bind.operation:
        case Apply(primitive) as apply if not primitive.fails and primitive.takes_tensors:
            failing = replace(primitive, effects=primitive.effects | _FAILS)
            return replace(bind, operation=replace(apply, primitive=failing))
    return bind
