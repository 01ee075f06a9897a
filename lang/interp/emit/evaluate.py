"""The pass: Core to Python code objects.

    program  ->  analyze_procedures  ->  Emitter (emit.py)  ->  compile  ->  CodeUnit

`machine.Machine` runs units.  When a unit comes from the cache, neither this module nor what it
imports is loaded.
"""

import ast
from collections.abc import Iterable, Mapping
from types import CodeType

from lambent.lang.core.changes import History
from lambent.lang.core.dynamic_state import is_in_control, is_try
from lambent.lang.core.ir import Core, Define, PrimCall, Program
from lambent.lang.core.traverse import walk
from lambent.lang.interp.builtins import module_of
from lambent.lang.interp.emit import pycode as py
from lambent.lang.interp.emit.emit import Emitter
from lambent.lang.interp.emit.names import global_name
from lambent.lang.interp.emit.procedure_analysis import ProcedureAnalysis, analyze_procedures
from lambent.lang.interp.emit.unit import CodeUnit, Tables
from lambent.lang.interp.library import KEY, MASKED_KEY, packed
from lambent.lang.interp.machine import POSITION, RESULT


def evaluate(
    program: Program,
    key: str,
    *,
    closed: bool,
    library: Mapping[str, bool],
    keep_result: bool = False,
    name: str | None = None,
    within: str | None = None,
    history: History | None = None,
) -> CodeUnit:
    """Turn a program into a unit that is ready to run.

    key names the unit in tracebacks.  closed: no later code can define or assign the program's
    variables.  library: the library's procedures, and whether each may return TAIL.  name: of the
    program's own source.  within: what traces call the top level.

    history: of a program that evaluates data, if its names change their meanings; the global
    POSITION then says where the program is.
    """
    analysis = analyze_procedures(program, closed, library)
    emitter = Emitter(key, analysis, within)
    body: list[py.Stmt] = []
    reached = -1
    for i, form in enumerate(program.forms):
        position = history.position_of(form) if history else None
        if history and position is not None and history.changes.switch(reached, position):
            reached = position
            line = emitter.line(form)
            body.append(py.assign(POSITION, py.constant(position, line), line))
        last = keep_result and i == len(program.forms) - 1
        body += emitter.top_level(form, RESULT if last else None)
    return CodeUnit(
        key=key,
        code=_code([*emitter.constants.setup, *body], key),
        builtin_modules=_builtin_modules(emitter.builtins),
        trampolined=_trampolined(analysis),
        tables=Tables(emitter.locations.marshalled(name)),
    )


def python_text(program: Program) -> str:
    """The Python that a program becomes, for people to read: `lambent show evaluate`.

    Global variables have names that Python text cannot have, such as `p:f`.
    """
    emitter = Emitter("program", analyze_procedures(program, closed=True, library={}))
    body = [statement for form in program.forms for statement in emitter.top_level(form, None)]
    return ast.unparse(ast.Module([*emitter.constants.setup, *body], [])) + "\n"


def evaluate_library(program: Program) -> bytes:
    """The bytes that `library.Library` reads: each definition of the library is separate code."""
    analysis = analyze_procedures(program, closed=True, library={})
    emitter = Emitter(KEY, analysis)
    definitions: dict[str, CodeType] = {}
    for form in program.forms:
        assert isinstance(form, Define), form
        emitter.constants.begin_separate_code()
        before = len(emitter.constants.setup)
        body = emitter.top_level(form, None)
        constants = emitter.constants.setup[before:]
        key = MASKED_KEY if _restores(form) else KEY
        definitions[global_name(form.name, form.namespace)] = _code([*constants, *body], key)
    tables = Tables(emitter.locations.marshalled())
    return packed(definitions, _builtin_modules(emitter.builtins), _trampolined(analysis), tables)


def _restores(form: Core) -> bool:
    """Whether a definition restores the dynamic state after a `%try`."""
    return is_in_control(form.span) or any(
        isinstance(node, PrimCall) and is_try(node.primitive) for node in walk(form)
    )


def _code(statements: list[py.Stmt], key: str) -> CodeType:
    module = ast.Module(statements, [])
    code: CodeType = compile(module, key, "exec", dont_inherit=True, optimize=1)
    return code


def _builtin_modules(variables: Iterable[str]) -> dict[str, str]:
    """The modules of the builtins that these global variables will hold."""
    return {name: module_of(name[2:]) for name in variables if name.startswith("b:")}


def _trampolined(analysis: ProcedureAnalysis) -> dict[str, bool]:
    """Its top-level procedures, and whether a call of each may return TAIL."""
    return {
        str(name): procedure.may_return_tail
        for name, procedure in analysis.procedures.items()
        if str(name).startswith(("l:", "p:"))
    }
