"""THE list of passes, in order.  `lambent show STAGE FILE` prints what a stage gives: those
named on the left.

read     text -> data         read             every datum with its span
expand   data -> data         expansion        to look at: the program without its macros
core     data -> Core         analyze          names resolved, macros and special forms gone
---- the interpreter goes its own way from here: evaluate, Core -> Python code objects ----
         Core -> Core         with_library     what the program reaches of the library before it
         Core -> lifted       lift             no procedures inside procedures
         lifted -> ANF        to_anf           one operation a statement
         ANF -> ANF           type_program     types, and what is cheapest for them
         ANF -> ANF           fold_tests       no branches on constants
         ANF -> ANF           drop_unused      less what types have left over
anf      ANF -> ANF           find_effects     what a call of each function may do
         ANF -> ANF           borrow           what need not be owned
owned    ANF -> ANF           insert_frees     every Dup and Free; check_owned and check_types
                                               prove them and all types right
c        ANF -> C99           emit_c
frees    ANF -> text          show_frees       the source, with each tensor's death marked
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lambent.lang.compile.build.build import build_executable
from lambent.lang.compile.build.toolchain import Options
from lambent.lang.compile.c.emit_c import emit_c
from lambent.lang.compile.closures.lift import lift
from lambent.lang.compile.closures.to_anf import to_anf
from lambent.lang.compile.ir.anf import Anf
from lambent.lang.compile.ir.text import to_text as anf_text
from lambent.lang.compile.ownership.borrow import borrow
from lambent.lang.compile.ownership.check_owned import check_owned
from lambent.lang.compile.ownership.insert_frees import insert_frees
from lambent.lang.compile.ownership.show_frees import show_frees
from lambent.lang.compile.types.check_types import check_types
from lambent.lang.compile.types.convert import type_program
from lambent.lang.compile.types.dead_code import drop_unused
from lambent.lang.compile.types.effects import find_effects
from lambent.lang.compile.types.fold_tests import fold_tests
from lambent.lang.core.analyze import analyze
from lambent.lang.core.check.check import Diagnostic, check
from lambent.lang.core.check.values import CallEvaluator
from lambent.lang.core.forms.evaluation import refuse_evaluator
from lambent.lang.core.ir import Program
from lambent.lang.core.macros.expansion import expansion
from lambent.lang.core.modules.library import LibraryMacros, library_names, with_library
from lambent.lang.core.modules.modules import Modules
from lambent.lang.core.names.operators import read_operators_with
from lambent.lang.core.scope import Scope
from lambent.lang.core.text import to_text as core_text
from lambent.lang.deep import call_deep
from lambent.lang.interp.run import lazy_evaluator, read_operators, read_text
from lambent.lang.syntax.layout import data_text
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.system.outputs import refuse_inputs, refuse_sources, require_place


def front(source: Source, scope: Scope) -> Program:
    """The Core of a source: what both back ends share."""
    return analyze(read(source), scope)


def compile_to_anf(program: Program) -> Anf:
    """A program with what it needs of the library, as typed ANF."""
    return call_deep(_compile_to_anf, program)


def _compile_to_anf(program: Program) -> Anf:
    whole = with_library(program)
    lifted = lift(whole)
    untyped = to_anf(lifted)
    typed = type_program(untyped)
    return find_effects(drop_unused(fold_tests(typed)))


def compile_to_owned(program: Program) -> Anf:
    """A program with all it needs and every Dup and Free: what remains is to write it as C."""
    return call_deep(_own, compile_to_anf(program))


def _own(anf: Anf) -> Anf:
    owned = insert_frees(borrow(anf))
    check_owned(owned)
    check_types(owned)
    return owned


# Whole files.


def read_source(path: str) -> Source:
    """A program's file."""
    return Source(path, read_text(path))


def program_of(source: Source) -> Program:
    """The Core of a program that knows the library, and what it imports."""
    return front(source, program_scope(source))


def program_scope(source: Source, evaluates: bool = True) -> Scope:
    """What a program can name before its first form, and import.

    evaluates: there is an evaluator when the program runs, as in the interpreter.
    """
    read_operators_with(read_operators)
    modules = Modules(library_names(), LibraryMacros(), lazy_evaluator(), evaluates)
    return modules.program_scope(source.name)


Warn = Callable[[Sequence[Diagnostic]], None]


def executable_program(
    source: Source, output: Path | None = None, warn: Warn | None = None
) -> Program:
    """The Core of a program that is to be an executable: one that evaluates nothing.

    output: what is to be written, which must be none of the files that the program is made from.
    warn: gets what looks wrong.
    """
    scope = program_scope(source, evaluates=False)
    program = front(source, scope)
    if warn is not None:
        warn(check(program, call_evaluator()))
    refuse_evaluator(program, source.name)
    if output is not None and scope.modules is not None:
        read = [path for path, data in scope.modules.inputs.items() if data is not None]
        refuse_inputs(output, read)
    return program


def compile_source(
    source: Source, output: Path | None = None, warn: Warn | None = None
) -> Anf:
    """A program's text as owned ANF; output: where the result will be written."""
    return compile_to_owned(executable_program(source, output, warn))


def compile_file(
    path: str, output: Path, debug: bool = False, warn: Warn | None = None
) -> None:
    """An executable of the program in a file; debug: gdb shows the lines of that file.

    path is text, not a Path, which forgets the `./` that messages show.
    """
    _refuse_program(path, output)
    require_place(output)
    owned = compile_source(read_source(path), output, warn)
    build_executable(owned, output, Options(debug=debug))


def emit_file(
    path: str, output: Path | None = None, debug: bool = False, warn: Warn | None = None
) -> str:
    """The C of the program in a file, to be written to output; debug: with `#line` directives."""
    if output is not None:
        _refuse_program(path, output)
    return emit_c(compile_source(read_source(path), output, warn), lines=debug)


def _refuse_program(path: str, output: Path) -> None:
    """Refuse an output that is a program, this or another."""
    refuse_inputs(output, [Path(path)])
    refuse_sources(output)


def diagnose_file(path: str) -> list[Diagnostic]:
    """What is sure to go wrong in the program in a file, should it get there."""
    return check(program_of(read_source(path)), call_evaluator())


def call_evaluator() -> CallEvaluator:
    """Computes calls with known arguments before a program runs."""
    from lambent.lang.interp.meta_calls import MetaCallEvaluator

    return MetaCallEvaluator()


# Stages by name.

STAGES: Mapping[str, Callable[[Source], str]] = {
    "read": lambda source: data_text(read(source)),
    "expand": lambda source: data_text(expansion(read(source), program_scope(source))),
    "core": lambda source: core_text(program_of(source)),
    "anf": lambda source: anf_text(compile_to_anf(executable_program(source))),
    "owned": lambda source: anf_text(compile_source(source)),
    "c": lambda source: emit_c(compile_source(source)),
    "frees": lambda source: show_frees(source, compile_source(source)),
}


def show(stage: str, path: str) -> str:
    """What a stage gives for the program in a file, as text."""
    return _ending_in_line_end(STAGES[stage](read_source(path)))


def show_text(stage: str, text: str, name: str) -> str:
    """What a stage gives for a program's text, as text."""
    return _ending_in_line_end(STAGES[stage](Source(name, text)))


def _ending_in_line_end(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"
