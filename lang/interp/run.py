"""Running programs: `lambent FILE` and `lambent -e EXPRESSION`.

    run_file("hello.lisp", [])  =>  0, and what the program prints

The result is the exit status.  Every error is shown on stderr, after what the program has printed.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lambent.lang.errors import EXIT_INTERRUPT, LispError, MissingInput, SyntaxFault, render
from lambent.lang.interp.code_cache import fingerprint, read_cached, write_cached
from lambent.lang.interp.errors.faults import (
    RESERVE,
    LispExit,
    NoMemoryError,
    means_no_memory,
    refill_reserve,
)
from lambent.lang.interp.interrupts.ctrl_c import CtrlC
from lambent.lang.interp.native import NATIVE
from lambent.lang.system.streams import prepare_output
from lambent.lang.system.timing import finish, timed

if TYPE_CHECKING:
    from lambent.lang.core.ir import Program
    from lambent.lang.core.modules.modules import Modules
    from lambent.lang.core.scope import Evaluator, Scope, Transformer
    from lambent.lang.interp.code_cache import Inputs
    from lambent.lang.interp.emit.unit import CodeUnit
    from lambent.lang.interp.library import Library
    from lambent.lang.interp.machine import Machine
    from lambent.lang.interp.world import World
    from lambent.lang.syntax.datum import Datum

_LIBRARY = ";; the whole library"  # the text under which its unit is kept


def run_file(path: str, arguments: Sequence[str]) -> int:
    """Run a program from a file; arguments are what it finds in `(command-line)`."""
    words = [path, *arguments]
    return run_guarded(lambda: run_program(read_text(path), path, words), path)


def run_text(text: str, name: str) -> int:
    """Run a program from a text, and print the value of its last form."""
    return run_guarded(lambda: run_program(text, name, [name], show=True))


def run_guarded(job: Callable[[], None], *sources: str, goes_on: bool = False) -> int:
    """Run Lisp on a large stack; the exit status.  sources: files that no report may replace.
    goes_on: the process does more if that status is 0."""
    ctrl_c = CtrlC(ends=True)
    with ctrl_c.watched():
        status = _status_of(job, ctrl_c, sources)
        return status if goes_on and status == 0 else leave(status)


def _status_of(job: Callable[[], None], ctrl_c: CtrlC, sources: Sequence[str]) -> int:
    prepare_output()
    refill_reserve()
    if "LAMBENT_MEMORY_REPORT" in os.environ or "LAMBENT_PROFILE" in os.environ:
        from lambent.lang.interp import reports  # noqa: F401 - cli.py loads it where options ask
    try:
        if loaded := sys.modules.get("lambent.lang.interp.reports"):
            loaded.prepare(sources)
        ctrl_c.run(job)
    except LispExit as leaving:
        return leaving.status
    except LispError as error:
        _flush_terminal()
        print(render(error), file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return EXIT_INTERRUPT
    except Exception as failure:
        if not means_no_memory(failure):
            raise
        RESERVE.clear()  # outside of Lisp, such as in the analysis of a program
        _flush_terminal()
        print(render(NoMemoryError()), file=sys.stderr)
        return NoMemoryError.status
    return 0


def _flush_terminal() -> None:
    """Write what the program has printed, and keep its status line: an error's report follows."""
    sys.stdout.flush()
    if status_line := sys.modules.get("lambent.lang.interp.io.status_line"):
        status_line.end()


def leave(status: int) -> int:
    """Flush the output, and print the reports that are switched on; the exit status."""
    sys.stdout.flush()
    output_streams = sys.modules.get("lambent.lang.interp.io.output_streams")
    if output_streams:
        output_streams.flush_files()
    if loaded := sys.modules.get("lambent.lang.interp.reports"):
        loaded.finish()
    if os.environ.get("LAMBENT_CHECK_LEAKS"):
        from lambent.lang.interp.leaks import report_leaks

        status = report_leaks(status)
    finish()
    sys.stderr.flush()
    tensors = sys.modules.get("lambent.lang.interp.builtins.tensors")
    if tensors and tensors.is_loaded() and "pytest" not in sys.modules:
        os._exit(status)  # LibTorch's destructors take longer than many programs
    return status


def run_program(text: str, name: str, command_line: Sequence[str], show: bool = False) -> None:
    """Run a whole program, in a job of `run_guarded`.  show: print the value of its last form."""
    from lambent.lang.interp.builtins import system

    system.COMMAND_LINE[:] = command_line
    machine = new_machine()
    machine.find_world = lambda: _world(text, name, machine)
    with timed("code cache"):
        unit = program_unit(text, name, machine, keep_result=show)
    with timed("run"):
        value = translated(lambda: machine.run(unit))
    if show:
        from lambent.lang.interp.repl.result_text import result_text

        shown = result_text(value)
        if shown is not None:
            print(shown)


def translated(job: Callable[[], object]) -> object:
    """The result of a job; exceptions from emitted code become LispErrors."""
    try:
        return job()
    except (LispExit, KeyboardInterrupt):
        raise
    except BaseException as failure:
        if means_no_memory(failure):
            RESERVE.clear()
            error: LispError = NoMemoryError()
        else:
            from lambent.lang.interp.errors.trace import translate

            error = translate(failure)
        failure.__traceback__ = None
    raise error


def new_machine() -> "Machine":
    """A machine that loads the library when it needs it."""
    from lambent.lang.interp.machine import Machine

    return Machine(find_library)


# The library that was found last, and the fingerprint of its inputs.  It is large, and machines are
# freed late, by Python's garbage collector: so all of them share one.
_FOUND: "list[tuple[str, Library]]" = []


def find_library() -> "Library":
    """The library, from the cache if it is kept there."""
    from lambent.lang.interp.library import Library

    stamp = fingerprint()
    if _FOUND and _FOUND[0][0] == stamp:
        return _FOUND[0][1]
    library = Library(library_fields(stamp)[0])
    _FOUND[:] = [(stamp, library)]
    return library


def library_fields(stamp: str) -> tuple[Any, ...]:
    """What is cached of the library: from the cache, from the wheel, or else made now."""
    fields = read_cached(_LIBRARY, stamp)
    if fields is not None:
        return fields
    fields = _carried_library()
    if fields is None:
        from lambent.lang.core.modules.library import load_library
        from lambent.lang.interp.emit.evaluate import evaluate_library
        from lambent.lang.system.collector import collector_paused

        with collector_paused():
            fields = (evaluate_library(load_library()),)
    write_cached(_LIBRARY, stamp, fields)
    return fields


CARRIED = "library"  # the entry's name in a wheel


def _carried_library() -> tuple[Any, ...] | None:
    """It is code for the C module, which a wheel carries, too."""
    if NATIVE is None:
        return None
    import marshal

    from lambent.lang.system.carried import carried_entry

    data = carried_entry(CARRIED)
    return None if data is None else marshal.loads(data)


def program_unit(text: str, name: str, machine: "Machine", keep_result: bool) -> "CodeUnit":
    """The unit of a whole program and its imports, whose paths are relative to the program's."""
    from lambent.lang.interp.emit.unit import CodeUnit, Tables

    folder = os.path.dirname(name)  # noqa: PTH120
    path = os.environ.get("LAMBENT_PATH", "")
    key, stamp = f";; {keep_result} {folder} {path}\n{text}", fingerprint()
    if (fields := read_cached(key, stamp)) is not None:
        unit_key, code, builtin_modules, trampolined, tables = fields
        return CodeUnit(unit_key, code, builtin_modules, trampolined, Tables(tables, name))
    unit, inputs = _analyzed(text, name, machine, keep_result)
    fields = (unit.key, unit.code, unit.builtin_modules, unit.trampolined, unit.tables.data)
    write_cached(key, stamp, fields, inputs)
    return unit


def _analyzed(
    text: str, name: str, machine: "Machine", keep_result: bool
) -> "tuple[CodeUnit, Inputs]":
    """The unit, and the files besides the text that it was compiled from."""
    from lambent.lang.core.analyze import analyze
    from lambent.lang.core.forms.evaluation import evaluator_use
    from lambent.lang.interp.emit.evaluate import evaluate
    from lambent.lang.syntax.reader import read
    from lambent.lang.syntax.source import Source

    modules = program_modules(machine)
    with timed("read"):
        data = read(Source(name, text))
    with timed("analyze"):
        scope = modules.program_scope(name)
        program = analyze(data, scope)
    if not keep_result:
        warn_on_terminal(program)
    with timed("evaluate"):
        closed = evaluator_use(program) is None
        unit = evaluate(
            program,
            "program",
            closed=closed,
            library=machine.library.trampolined,
            keep_result=keep_result,
            name=name,
            history=None if closed else scope.history,
        )
    return unit, modules.inputs


def _world(text: str, name: str, machine: "Machine") -> "World":
    """The world for a program's `eval`: the program is analysed again to know its names."""
    from lambent.lang.core.analyze import analyze
    from lambent.lang.interp.world import World
    from lambent.lang.syntax.reader import read
    from lambent.lang.syntax.source import Source

    modules = program_modules(machine)
    scope = modules.program_scope(name)
    analyze(read(Source(name, text)), scope)
    modules.interactive = True
    return World(machine, modules, scope, scope.history)


def warn_on_terminal(program: "Program") -> None:
    """Print warnings; only to a terminal, because elsewhere stderr must equal the executable's.

    Like a compiler, warn when the program is compiled: at its first run after a change.
    """
    if not sys.stderr.isatty():
        return
    from lambent.lang.core.check.check import check

    for diagnostic in check(program):
        print(diagnostic.text, file=sys.stderr)


def program_modules(machine: "Machine", interactive: bool = False) -> "Modules":
    """The names that a program can use, and the modules that it can import."""
    from lambent.lang.core.modules.library import LibraryMacros
    from lambent.lang.core.modules.modules import Modules
    from lambent.lang.core.names.operators import read_operators_with

    read_operators_with(read_operators)
    return Modules(
        machine.library.names(),
        LibraryMacros(),
        evaluator=lazy_evaluator(),
        evaluates=True,
        interactive=interactive,
    )


def read_operators() -> "Mapping[str, str] | None":
    """The names of LibTorch's operators and their usages; None without LibTorch."""
    from lambent.ctorch.cached_operators import cached_operators

    return cached_operators()


def lazy_evaluator() -> "Evaluator":
    """Runs the bodies of `defmacro`; the evaluator is loaded when the first one is defined."""
    evaluators: list[Evaluator] = []

    def evaluator(definition: "Datum", scope: "Scope") -> "Transformer":
        if not evaluators:
            from lambent.lang.interp.expander import new_evaluator

            evaluators.append(new_evaluator())
        return evaluators[0](definition, scope)

    return evaluator


def read_text(path: str) -> str:
    """The text of a source file."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes long to load
            data = file.read()
    except OSError as error:
        raise MissingInput(f"cannot open {path}: {os.strerror(error.errno or 0)}") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SyntaxFault(f"{path}: not UTF-8 text (byte {error.start})") from None
