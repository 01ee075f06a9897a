"""Whole files through the passes: what the command does with a program's file.

The passes are a list, in `passes.py`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from lambent.lang.compile.build.build import build_executable
from lambent.lang.compile.build.toolchain import Options
from lambent.lang.compile.c.check_c import check_c
from lambent.lang.compile.c.emit_c import program_text
from lambent.lang.compile.ir.anf import Anf
from lambent.lang.core.check.check import Diagnostic
from lambent.lang.core.ir import Program
from lambent.lang.interp.run import read_text
from lambent.lang.passes import PASSES, Job, run_between, run_pass, run_to, show_after
from lambent.lang.syntax.source import Source
from lambent.lang.system.cache import writable_folder
from lambent.lang.system.outputs import check_destination, refuse_inputs, refuse_sources

Warn = Callable[[Sequence[Diagnostic]], None]
_COMPILED = "check_types"  # the last pass before the text of C


def read_source(path: str) -> Source:
    """A program's file."""
    return Source(path, read_text(path))


def program_of(source: Source) -> Program:
    """The Core of a program that knows the library, and what it imports."""
    program: Program = run_to("analyze", Job(source))
    return program


def executable_program(job: Job, output: Path | None = None, warn: Warn | None = None) -> Program:
    """The Core of a program that is to be an executable: one that evaluates nothing.

    output: what is to be written, which must be none of the files that the program is made from.
    warn: gets what looks wrong.
    """
    analyzed = run_to("analyze", job)
    if warn is not None:
        warn(run_pass(PASSES["check"], analyzed, job))
    program: Program = run_between("analyze", "refuse_evaluator", analyzed, job)
    if output is not None and job.scope.modules is not None:
        read = [path for path, data in job.scope.modules.inputs.items() if data is not None]
        refuse_inputs(output, read)
    return program


def compile_source(
    source: Source, output: Path | None = None, warn: Warn | None = None, inlines: bool = True
) -> Anf:
    """A program's text as owned ANF; output: where the result will be written."""
    return _compile(Job(source, evaluates=False, inlines=inlines), output, warn)


def _compile(job: Job, output: Path | None, warn: Warn | None) -> Anf:
    program = executable_program(job, output, warn)
    owned: Anf = run_between("refuse_evaluator", _COMPILED, program, job)
    return owned


def compile_file(
    path: str,
    output: Path,
    debug: bool = False,
    warn: Warn | None = None,
    *,
    quick: bool = False,
    optimize: bool = True,
) -> None:
    """An executable of the program in a file; debug: gdb shows the lines of that file.

    quick: the C compiler optimizes less, which takes half of its time.  optimize: whether it does
    at all; tests ask for that.

    path is text, not a Path, which forgets the `./` that messages show.
    """
    _refuse_program(path, output)
    check_destination(output)
    writable_folder()  # an error before the work begins
    job = Job(read_source(path), evaluates=False, lines=debug, inlines=not debug)
    owned = _compile(job, output, warn)
    if job.verifies:
        check_c(program_text(owned, ()))
    options = Options(debug=debug, quick=quick and not debug, optimize=optimize)
    build_executable(owned, output, options)


def emit_file(
    path: str, output: Path | None = None, debug: bool = False, warn: Warn | None = None
) -> str:
    """The C of the program in a file, to be written to output; debug: with `#line` directives."""
    if output is not None:
        _refuse_program(path, output)
    job = Job(read_source(path), evaluates=False, lines=debug, inlines=not debug)
    text: str = run_between(_COMPILED, "emit_c", _compile(job, output, warn), job)
    return text


def _refuse_program(path: str, output: Path) -> None:
    """Refuse an output that is a program, this or another."""
    refuse_inputs(output, [Path(path)])
    refuse_sources(output)


def diagnose_file(path: str) -> list[Diagnostic]:
    """What is sure to go wrong in the program in a file, should it get there."""
    diagnostics: list[Diagnostic] = run_to("check", Job(read_source(path)))
    return diagnostics


def show(pass_: str, path: str, *, everything: bool = False) -> str:
    """What a pass returns for the program in a file, as text.

    everything: `show_frees` marks all values, not only tensors.
    """
    return show_after(pass_, read_source(path), everything=everything)


def show_text(
    pass_: str, text: str, name: str, *, everything: bool = False, inlines: bool = True
) -> str:
    """The same for a program's text."""
    return show_after(pass_, Source(name, text), everything=everything, inlines=inlines)
