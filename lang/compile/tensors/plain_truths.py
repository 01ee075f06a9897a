"""Tests of values that are never tensors.

    (if (assq key table) ...)    rt_truth(t1, &t2), which may fail  =>  rt_plain_truth(t1)

A tensor counts by its element in a test, and one of several elements is an error.  So in a program
that uses tensors every test of an unknown value asks whether it is one, and may fail.  Most values
cannot be tensors, as the flow of values in the whole program shows (`tensor_flow.py`).

The look at the whole program takes as long as other passes, and programs that compute with tensors
test few values, and are long: they reach many procedures of the library.  The library's own
procedures keep their tests, because their C is shared by programs with and without tensors in their
lists.

Runs before `find_effects`, which finds what can fail.  Sanitized programs check each test.
"""

from collections.abc import Set

from lambent.lang.compile.ir.anf import Anf, Bind, Block, Function, Truth
from lambent.lang.compile.ir.blocks import binds_in, map_body, map_functions, map_operations
from lambent.lang.compile.tensors.tensor_flow import names_with_tensors
from lambent.lang.system.dataclass import replace

# For fewer tests the look at the whole program takes more time than it saves, unless that is short.
_WORTH = 4
_SHORT = 32  # functions for each test


def find_plain_truths(program: Anf) -> Anf:
    """The program whose tests say where their operand is never a tensor."""
    own = [f for f in program.own_functions if not f.owner.is_library]
    tests = sum(map(_tests, own))
    is_worth_it = tests >= _WORTH or len(program.functions) < _SHORT * tests
    if not is_worth_it or not program.uses_tensors:
        return program
    tensors = names_with_tensors(program)

    def marked(function: Function) -> Function:
        if function.owner.is_library or not _tests(function):
            return function
        return map_body(function, lambda body: _marked(body, tensors[function.name]))

    return map_functions(program, marked)


def _tests(function: Function) -> int:
    """How many tests of values a function has."""
    return sum(isinstance(bind.operation, Truth) for bind in binds_in(function.body))


def _marked(body: Block, tensors: Set[str]) -> Block:
    def marked(bind: Bind) -> Bind:
        match bind.operation:
            case Truth(operand) if operand not in tensors:
                return replace(bind, operation=Truth(operand, plain=True))
        return bind

    return map_operations(body, marked)
