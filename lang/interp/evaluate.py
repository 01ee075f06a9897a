"""The pass: Core to a Python code object.

    program  ->  examine (knowledge.py)  ->  emit (emit.py)  ->  compile  ->  CodeUnit (unit.py)

`machine.Machine` runs units; this module and what it stands on are not imported when a unit comes
out of the cache.
"""

import ast
from collections.abc import Mapping

from lambent.lang.core.ir import Program
from lambent.lang.interp import pycode as py
from lambent.lang.interp.emit import Emitter
from lambent.lang.interp.knowledge import examine
from lambent.lang.interp.machine import RESULT
from lambent.lang.interp.unit import CodeUnit


def evaluate(
    program: Program,
    key: str,
    *,
    closed: bool,
    library: Mapping[str, bool],
    keep_result: bool = False,
) -> CodeUnit:
    """Turn a program into a unit that is ready to run.

    key names the unit in tracebacks.  closed: nothing that comes later can define or assign the
    program's variables.  library: the library's procedures, and whether each may bounce.
    """
    known = examine(program, closed, library)
    emitter = Emitter(key, known)
    body: list[py.Stmt] = []
    for i, form in enumerate(program.forms):
        last = keep_result and i == len(program.forms) - 1
        body += emitter.top_level(form, RESULT if last else None)
    module = ast.Module([*emitter.constants.setup, *body], [])
    code = compile(module, key, "exec", dont_inherit=True, optimize=1)
    return CodeUnit(
        key=key,
        code=code,
        builtins=tuple(emitter.builtins),
        bounces={
            str(name): procedure.bounces
            for name, procedure in known.procedures.items()
            if str(name).startswith(("l:", "p:"))
        },
        tables=emitter.places.marshalled(),
    )
