"""Frees the tables and constants of a session's units when their code is freed.

    (define (f) '(1))   a unit; its tables and the constant (1) live as long as f
    (f)                 a unit; its tables are freed after it has run

A tail call is made after its frame has returned, and maybe after its procedure was freed, and a
trace still shows it.  So the tables of the last few freed units are kept a little longer.
"""

import itertools
from _weakref import ref
from collections import deque
from collections.abc import Iterable, Iterator
from types import CodeType

from lambent.lang.interp.emit.names import constants_in
from lambent.lang.interp.emit.unit import UNITS, CodeUnit
from lambent.lang.interp.interrupts.masking import interrupts_masked
from lambent.lang.interp.machine import Machine

_KEPT = 64  # units whose code was freed

_numbers = itertools.count(1)
_freed: deque[str] = deque()


def unit_key(what: str) -> str:
    """A name that no other unit of the process has."""
    return f"{what} {next(_numbers)}"


def free_with_code(unit: CodeUnit, machine: Machine, objects: Iterable[str] = ()) -> None:
    """Register a unit that is about to run; free its tables and constants with its last code.

    objects: global variables of the machine that no other code names; they are freed as well.
    """
    key, alive = unit.key, unit.tables.alive
    variables = [*objects, *constants_in(unit.code, key)]
    units, freed, kept, machines = UNITS, _freed, _KEPT, ref(machine)

    # It may run in any thread, and after Python has cleared this module's globals.
    @interrupts_masked
    def forget(code: "ref[CodeType]") -> None:
        alive.pop(id(code), None)
        if not alive:
            if (where := machines()) is not None:
                for variable in variables:
                    where.globals.pop(variable, None)
            freed.append(key)
            while len(freed) > kept:
                units.pop(freed.popleft(), None)

    for code in [ref(code, forget) for code in _codes(unit.code)]:
        alive[id(code)] = code
    UNITS[key] = unit.tables


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a unit and of all procedures in it."""
    waiting = [code]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
