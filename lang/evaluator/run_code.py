"""Programs as code for the evaluator, from their text, or from what `eval` and a session analyse.

Only the passes that code needs are loaded: none of those that choose representations, which an
executable is compiled with (`passes.py`).
"""

import os
from collections.abc import Sequence, Set
from typing import TypeGuard

from lambent.lang.compile.closures.inline import inline
from lambent.lang.compile.closures.lift import lift
from lambent.lang.compile.closures.share_globals import share_globals
from lambent.lang.compile.closures.to_anf import to_anf
from lambent.lang.compile.ir.operands import forget_blocks
from lambent.lang.compile.ownership.borrow import borrow
from lambent.lang.compile.ownership.exchange_fields import exchange_fields
from lambent.lang.compile.ownership.insert_frees import insert_frees
from lambent.lang.compile.ownership.move_fields import move_fields
from lambent.lang.compile.ownership.place_cleanups import place_cleanups
from lambent.lang.compile.tensors.plain_truths import find_plain_truths
from lambent.lang.compile.types.effects import find_effects
from lambent.lang.compile.types.memory_use import forget_effects
from lambent.lang.compile.units.library import (
    has_unit,
    library_function,
    needed_functions,
    with_units,
)
from lambent.lang.compile.units.library_units import library_units
from lambent.lang.compile.units.with_library import with_library
from lambent.lang.core.analyze import analyze
from lambent.lang.core.changes import History
from lambent.lang.core.forms.evaluation import evaluator_use
from lambent.lang.core.ir import (
    Const,
    Core,
    Define,
    Global,
    Lambda,
    Namespace,
    Program,
    Unbound,
)
from lambent.lang.core.modules.library import LibraryMacros, library_names
from lambent.lang.core.modules.modules import Modules
from lambent.lang.core.names.operators import read_operators_with
from lambent.lang.core.traverse import rewrite
from lambent.lang.deep import call_deep
from lambent.lang.evaluator.code import literals_name
from lambent.lang.evaluator.code_file import code_file
from lambent.lang.evaluator.emit_code import emit_code
from lambent.lang.evaluator.let_tensors_fail import let_tensors_fail
from lambent.lang.interp.code_cache import Inputs
from lambent.lang.interp.run import lazy_evaluator, read_operators, warn_on_terminal
from lambent.lang.syntax.datum import Number
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.system.dataclass import dataclass, replace

PASSES = (
    share_globals, find_effects, exchange_fields, borrow, insert_frees, move_fields,
    place_cleanups,
)  # fmt: skip
# The variable in which a program that evaluates data says where it is: see `core.changes`.
_POSITION = "#<position>"


@dataclass(frozen=True, slots=True)
class ProgramCode:
    """data: its bytes.  tensors: which evaluator runs it.  inputs: what the files were that it
    imports."""

    data: bytes
    tensors: bool
    inputs: Inputs


def code_of_program(text: str, path: str, has_value: bool = False) -> ProgramCode:
    """The code of a program, the text of a file.  has_value: that of its last form.

    UnsupportedError says what the evaluator cannot run.
    """
    return call_deep(_code_of_program, text, path, has_value)


def _code_of_program(text: str, path: str, has_value: bool) -> ProgramCode:
    modules = program_modules()
    scope = modules.program_scope(path)
    program = analyze(read(Source(path, text)), scope)
    warn_on_terminal(program)
    if evaluator_use(program) is None and not has_value:
        whole = with_library(program)
        return ProgramCode(_code(whole)[0], whole.tensors, modules.inputs)
    code = open_code(program, history=scope.history, source=text)
    return ProgramCode(code.data, has_tensors(), modules.inputs)


def program_modules(interactive: bool = False) -> Modules:
    """The names that a program can use, and the modules that it can import."""
    read_operators_with(read_operators)
    return Modules(
        library_names(), LibraryMacros(), lazy_evaluator(), evaluates=True, interactive=interactive
    )


def has_tensors() -> bool:
    """Whether LibTorch is installed, which code that comes later may need."""
    return read_operators() is not None


@dataclass(frozen=True, slots=True)
class OpenCode:
    """data: its bytes.  variables: those of the library that have a value once it has run."""

    data: bytes
    variables: frozenset[str]


def open_code(
    program: Program,
    *,
    history: History | None = None,
    within: str | None = None,
    source: str | None = None,
    defined: Set[str] = frozenset(),
) -> OpenCode:
    """The code of forms that run in an open world: other code may use and define their variables.

    history: of the forms, if names change their meanings in them.  within: what traces call the
    forms themselves.  source: the text of a program.  defined: the library's variables that have a
    value already.
    """
    forms = _with_positions(program.forms, history)
    hints: dict[tuple[str, int], str] = {}

    def named(core: Core) -> Core | None:
        if not isinstance(core, Unbound):
            return None
        if core.hint is not None:
            hints[core.name, core.span.start] = core.hint
        return Global(core.name, Namespace.PROGRAM, core.span)

    forms = tuple([rewrite(form, named) for form in forms])
    whole = with_library(replace(program, forms=forms, is_open=True))
    needs_tensors = whole.tensors
    kept = tuple([
        form for form in whole.forms if not (_is_library_variable(form) and form.name in defined)
    ])  # fmt: skip
    whole = replace(whole, forms=kept, tensors=has_tensors())
    try:
        data, variables = _code(whole, needs_tensors, within, source, hints)
        return OpenCode(data, variables | defined)
    finally:
        forget_blocks()
        forget_effects()


def _with_positions(forms: Sequence[Core], history: History | None) -> tuple[Core, ...]:
    """The forms, and before those where macros come or go a note of the position."""
    if history is None:
        return tuple(forms)
    found: list[Core] = []
    reached = -1
    for form in forms:
        position = history.position_of(form)
        if position is not None and history.changes.switch(reached, position):
            reached = position
            value = Const(Number(position, form.span), form.span)
            found.append(Define(_POSITION, Namespace.PROGRAM, value, form.span))
        found.append(form)
    return tuple(found)


def _is_library_variable(form: Core) -> TypeGuard[Define]:
    """Whether it defines a variable of the library, not a procedure."""
    return (
        isinstance(form, Define)
        and form.namespace is Namespace.LIBRARY
        and not isinstance(form.value, Lambda)
    )


def _code(
    program: Program,
    needs_tensors: bool | None = None,
    within: str | None = None,
    source: str | None = None,
    hints: dict[tuple[str, int], str] | None = None,
) -> tuple[bytes, frozenset[str]]:
    """The code, and the variables of the library that it defines, which constants are not."""
    _require_units(program)
    anf = to_anf(lift(inline(program, own=True)), library_function)
    if anf.uses_tensors:
        anf = let_tensors_fail(anf if anf.is_open else find_plain_truths(anf))
    for run in PASSES:
        anf = run(anf)
    if os.environ.get("LAMBENT_VERIFY"):
        from lambent.lang.compile.ownership.check_owned import check_owned

        check_owned(anf)
    files = needed_functions(anf.externals, anf.uses_tensors).files
    definitions = {
        form.name
        for form in program.forms
        if isinstance(form, Define) and form.namespace is Namespace.LIBRARY
    }
    emitted = emit_code(anf, within, hints or {}, definitions)
    literals = [literals_name(file) for file in files]
    needs = program.tensors if needs_tensors is None else needs_tensors
    named = {variable.name for variable in anf.globals}
    defined = [form.name for form in program.forms if _is_library_variable(form)]
    data = code_file(*emitted, literals, needs, source)
    return data, frozenset([name for name in defined if name in named])


def _require_units(program: Program) -> None:
    """Compile the units of the library that the program uses, if they are not in the cache."""
    unit_of = library_units().unit_of
    used = with_units({unit_of[name] for name in program.externals.heads})
    if not all(has_unit(index, program.tensors) for index in used):
        from lambent.lang.compile_library import compile_units_for  # which loads all passes

        compile_units_for(program)
