"""The pass: Core to Python code objects.

    program  ->  examine (procedure_analysis.py)  ->  emit (emit.py)  ->  compile  ->  CodeUnit

`machine.Machine` runs units; this module and what it stands on are not imported when a unit comes
out of the cache.
"""

import ast
from collections.abc import Iterable, Mapping
from types import CodeType

from lambent.lang.core.ir import Core, Define, PrimCall, Program
from lambent.lang.core.traverse import walk
from lambent.lang.interp.builtins import home_of
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.emit import Emitter
from lambent.lang.interp.emit.names import global_name
from lambent.lang.interp.emit.procedure_analysis import Knowledge, examine
from lambent.lang.interp.emit.unit import CodeUnit, Tables
from lambent.lang.interp.library import KEY, STEADY, packed
from lambent.lang.interp.machine import RESULT

_CONTROL = "stdlib/language/control.lisp"


def evaluate(
    program: Program,
    key: str,
    *,
    closed: bool,
    library: Mapping[str, bool],
    keep_result: bool = False,
    name: str | None = None,
    within: str | None = None,
) -> CodeUnit:
    """Turn a program into a unit that is ready to run.

    key names the unit in tracebacks.  closed: nothing that comes later can define or assign the
    program's variables.  library: the library's procedures, and whether each may bounce.
    name: of the program's own source.  within: what traces call the top level.
    """
    known = examine(program, closed, library)
    emitter = Emitter(key, known, within)
    body: list[py.Stmt] = []
    for i, form in enumerate(program.forms):
        last = keep_result and i == len(program.forms) - 1
        body += emitter.top_level(form, RESULT if last else None)
    return CodeUnit(
        key=key,
        code=_code([*emitter.constants.setup, *body], key),
        homes=_homes(emitter.builtins),
        bounces=_bounces(known),
        tables=Tables(emitter.locations.marshalled(name)),
    )


def evaluate_library(program: Program) -> bytes:
    """Turn the library into what `library.Library` is made of: each definition by itself."""
    known = examine(program, closed=True, library={})
    emitter = Emitter(KEY, known)
    definitions: dict[str, CodeType] = {}
    for form in program.forms:
        assert isinstance(form, Define), form
        before = len(emitter.constants.setup)
        body = emitter.top_level(form, None)
        constants = emitter.constants.setup[before:]
        key = STEADY if _restores(form) else KEY
        definitions[global_name(form.name, form.home)] = _code([*constants, *body], key)
    tables = Tables(emitter.locations.marshalled())
    return packed(definitions, _homes(emitter.builtins), _bounces(known), tables)


def _restores(form: Core) -> bool:
    """Whether a definition is a part of what puts the dynamic state back after a `%try`."""
    if form.span.source.name == _CONTROL:
        return True
    return any(isinstance(node, PrimCall) and node.primitive.name == "%try" for node in walk(form))


def _code(statements: list[py.Stmt], key: str) -> CodeType:
    module = ast.Module(statements, [])
    code: CodeType = compile(module, key, "exec", dont_inherit=True, optimize=1)
    return code


def _homes(variables: Iterable[str]) -> dict[str, str]:
    """The modules of the builtins that these global variables are to hold."""
    return {name: home_of(name[2:]) for name in variables if name.startswith("b:")}


def _bounces(known: Knowledge) -> dict[str, bool]:
    """Its top-level procedures, and whether a call of each may give TAIL."""
    return {
        str(name): procedure.bounces
        for name, procedure in known.procedures.items()
        if str(name).startswith(("l:", "p:"))
    }
