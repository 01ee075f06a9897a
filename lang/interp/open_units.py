"""Units of worlds that stay open, such as sessions: what is theirs goes with their code.

    (define (f) '(1))   a unit; its tables and the constant (1) stay as long as f does
    (f)                 a unit; its tables go with it

A tail call is made when the frame that wants it is gone, and maybe the procedure, too; a trace
shows it all the same.  So the tables of the last few units that are gone stay a little longer.
"""

import itertools
from _weakref import ref
from collections import deque
from collections.abc import Iterable, Iterator
from types import CodeType

from lambent.lang.interp.emit.names import constants_in
from lambent.lang.interp.emit.unit import UNITS, CodeUnit
from lambent.lang.interp.interrupts.undisturbed import undisturbed
from lambent.lang.interp.machine import Machine

_KEPT = 64  # units whose code is gone

_numbers = itertools.count(1)
_gone: deque[str] = deque()


def unit_key(what: str) -> str:
    """A name that no other unit of the process has."""
    return f"{what} {next(_numbers)}"


def keep_open(unit: CodeUnit, machine: Machine, objects: Iterable[str] = ()) -> None:
    """Keep what a unit needs that is to run, for as long as any of its code is there.

    objects: global variables of the machine that no other code names.
    """
    key, alive = unit.key, unit.tables.alive
    variables = [*objects, *constants_in(unit.code, key)]
    units, gone, kept, machines = UNITS, _gone, _KEPT, ref(machine)

    # It may run in any thread, and when this module has been taken apart already.
    @undisturbed
    def forget(code: "ref[CodeType]") -> None:
        alive.pop(id(code), None)
        if not alive:
            if (where := machines()) is not None:
                for variable in variables:
                    where.globals.pop(variable, None)
            gone.append(key)
            while len(gone) > kept:
                units.pop(gone.popleft(), None)

    for code in [ref(code, forget) for code in _codes(unit.code)]:
        alive[id(code)] = code
    UNITS[key] = unit.tables


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a unit, or of a procedure, and of all procedures in it."""
    waiting = [code]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [part for part in code.co_consts if isinstance(part, CodeType)]
