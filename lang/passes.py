"""THE list of passes: each with what it does, its verifiers and its printer.

    read -> analyze -> evaluate                                           the interpreter
                    -> with_library -> inline -> lift -> ... -> emit_c  the compiler

Each pass takes what the pass named in `after` returns, so the list is a tree; passes that are only
there to look at (expand, infer, show_frees) are leaves.  Everything that goes through the passes
reads this list: compilation, `lambent show`, `--time-passes`, verification and crash reports.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from lambent.lang.compile.build.library_files import library_objects
from lambent.lang.compile.build.toolchain import compile_objects, run_compiler
from lambent.lang.compile.c.check_c import check_c
from lambent.lang.compile.c.emit_c import emit_c
from lambent.lang.compile.closures.inline import inline
from lambent.lang.compile.closures.lift import lift
from lambent.lang.compile.closures.share_globals import share_globals
from lambent.lang.compile.closures.to_anf import to_anf
from lambent.lang.compile.ir.anf import Anf
from lambent.lang.compile.ir.check_anf import check_anf
from lambent.lang.compile.ir.check_lifted import check_lifted
from lambent.lang.compile.ir.lifted_text import to_text as lifted_text
from lambent.lang.compile.ir.text import to_text as anf_text
from lambent.lang.compile.ownership.borrow import borrow
from lambent.lang.compile.ownership.check_owned import check_owned
from lambent.lang.compile.ownership.exchange_fields import exchange_fields
from lambent.lang.compile.ownership.insert_frees import insert_frees
from lambent.lang.compile.ownership.move_fields import move_fields
from lambent.lang.compile.ownership.place_cleanups import place_cleanups
from lambent.lang.compile.ownership.show_frees import show_frees
from lambent.lang.compile.tensors.plain_truths import find_plain_truths
from lambent.lang.compile.types.check_types import check_types
from lambent.lang.compile.types.convert import type_program
from lambent.lang.compile.types.effects import find_effects
from lambent.lang.compile.types.facts_text import facts_text
from lambent.lang.compile.types.infer import infer
from lambent.lang.compile.types.simplify import simplify
from lambent.lang.compile.types.split_records import split_records
from lambent.lang.compile.units.library import library_function
from lambent.lang.compile.units.whole_program import whole_program
from lambent.lang.compile.units.with_library import with_library
from lambent.lang.compile.versions.clone_procedures import clone_procedures
from lambent.lang.compile.versions.split_doubles import split_doubles
from lambent.lang.compile.versions.split_fixnums import split_fixnums
from lambent.lang.core.analyze import analyze
from lambent.lang.core.check.call_evaluator import CallEvaluator
from lambent.lang.core.check.check import Diagnostic, check
from lambent.lang.core.forms.evaluation import refuse_evaluator
from lambent.lang.core.ir import Program
from lambent.lang.core.macros.expansion import expansion
from lambent.lang.core.modules.library import LibraryMacros, library_names
from lambent.lang.core.modules.modules import Modules
from lambent.lang.core.names.operators import read_operators_with
from lambent.lang.core.scope import Scope
from lambent.lang.core.text import to_text as core_text
from lambent.lang.core.verify import check_core, check_whole_core
from lambent.lang.deep import call_deep
from lambent.lang.errors import UsageFault
from lambent.lang.interp.emit.evaluate import evaluate, evaluate_library, python_text
from lambent.lang.interp.run import lazy_evaluator, read_operators
from lambent.lang.syntax.layout import data_text
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from lambent.lang.syntax.verify import check_data
from lambent.lang.system.timing import timed

VERIFY = "LAMBENT_VERIFY"


@dataclass(slots=True)
class Job:
    """One source on its way through the passes.

    evaluates: there is an evaluator when the program runs, as in the interpreter.
    lines: the C says with `#line` where it comes from.  inlines: the program's own procedures may
    be inlined; not for gdb, nor where a text is shown beside the source.
    verifies: each pass's result is checked, as far as there is a verifier for it.
    everything: `show frees` marks all values, not only tensors.
    """

    source: Source
    evaluates: bool = True
    lines: bool = False
    inlines: bool = True
    verifies: bool = field(default_factory=lambda: bool(os.environ.get(VERIFY)))
    everything: bool = False
    _scope: Scope | None = None

    @property
    def scope(self) -> Scope:
        """What the program can name before its first form, and import."""
        if self._scope is None:
            self._scope = program_scope(self.source, self.evaluates)
        return self._scope


@dataclass(frozen=True, slots=True)
class Pass:
    """function: what a traceback shows while the pass runs.  after: the pass whose result it takes;
    None for the source.  verifiers: each raises an exception for what is not in order."""

    name: str
    does: str
    after: str | None
    function: Callable[..., Any]
    run: Callable[[Any, Job], Any]
    show: Callable[[Any], str]
    verifiers: tuple[Callable[..., None], ...] = ()


def _plain(function: Callable[[Any], Any]) -> Callable[[Any, Job], Any]:
    """The function of a pass that takes a result and nothing besides."""
    return lambda value, job: function(value)


def _proof(verifier: Callable[[Anf], None]) -> Callable[[Anf, Job], Anf]:
    """A verifier as a pass: it returns the program that it has proved."""

    def prove(program: Anf, job: Job) -> Anf:
        verifier(program)
        return program

    return prove


def _refuse_evaluator(program: Program, job: Job) -> Program:
    refuse_evaluator(program, job.source.name)
    return program


def _with_library(program: Program, job: Job) -> Program:
    """The program with its library, whose units have been compiled."""
    from lambent.lang.compile_library import compile_units_for  # which runs these passes

    whole = with_library(program)
    compile_units_for(whole)
    return whole


def _show_frees(owned: Anf, job: Job) -> str:
    return show_frees(job.source, owned, everything=job.everything)


def _diagnostics_text(diagnostics: Sequence[Diagnostic]) -> str:
    return "".join(diagnostic.text + "\n" for diagnostic in diagnostics)


def _anf(
    name: str,
    does: str,
    after: str,
    function: Callable[[Any], Anf],
    *verifiers: Callable[[Anf, Anf | None], None],
) -> Pass:
    """A pass whose result is ANF."""
    return Pass(name, does, after, function, _plain(function), anf_text, verifiers)


_LIST = (
    Pass("read", "text -> data: every datum with its source location", None,
         read, _plain(read), data_text, (check_data,)),
    Pass("expand", "data -> data: the program without its macros; only to look at", "read",
         expansion, lambda data, job: expansion(data, job.scope), data_text),
    Pass("analyze", "data -> Core: resolves names; macros and special forms are gone", "read",
         analyze, lambda data, job: analyze(data, job.scope), core_text, (check_core,)),
    Pass("check", "Core -> warnings: what is sure to go wrong", "analyze",
         check, lambda program, job: check(program, call_evaluator()), _diagnostics_text),
    Pass("evaluate", "Core -> Python code objects: the interpreter's back end", "analyze",
         evaluate, lambda program, job: python_text(program), str),
    Pass("refuse_evaluator", "Core -> Core: an executable evaluates no programs", "analyze",
         refuse_evaluator, _refuse_evaluator, core_text),
    Pass("with_library", "Core -> Core: adds what the program needs of the library",
         "refuse_evaluator",
         with_library, _with_library, core_text, (check_whole_core,)),
    Pass("inline", "Core -> Core: the bodies of known procedures in place of their calls",
         "with_library", inline, lambda program, job: inline(program, own=job.inlines),
         core_text, (check_whole_core,)),
    Pass("lift", "Core -> lifted: closure conversion; local loops become loops", "inline",
         lift, _plain(lift), lifted_text, (check_lifted,)),
    Pass("to_anf", "lifted -> ANF: one operation a statement", "lift", to_anf,
         lambda lifted, job: to_anf(lifted, library_function), anf_text, (check_anf,)),
    _anf("share_globals", "ANF -> ANF: one read of a top-level variable in place of several",
         "to_anf", share_globals, check_anf),
    _anf("split_doubles", "ANF -> ANF: versions of code for doubles",
         "share_globals", split_doubles, check_anf),
    _anf("clone_procedures", "ANF -> ANF: copies of procedures for arguments that are doubles",
         "split_doubles", clone_procedures, check_anf),
    _anf("split_fixnums", "ANF -> ANF: versions of procedures for fixnums",
         "clone_procedures", split_fixnums, check_anf),
    _anf("split_records", "ANF -> ANF: fields in place of objects of which only these are used",
         "split_fixnums", split_records, check_anf),
    Pass("infer", "ANF -> abstract types: what each name can hold; only to look at",
         "split_records",
         infer, _plain(infer), facts_text),
    _anf("type_program", "ANF -> ANF: representations, conversions, typed variants of primitives",
         "split_records", type_program, check_anf, check_types),
    _anf("simplify", "ANF -> ANF: no constant tests, dead code, or certain bounds checks",
         "type_program", simplify, check_anf, check_types),
    _anf("find_plain_truths", "ANF -> ANF: tests of what is never a tensor cannot fail",
         "simplify", find_plain_truths, check_anf, check_types),
    _anf("find_effects", "ANF -> ANF: which functions may fail, tail-call or recur",
         "find_plain_truths",
         find_effects, check_anf, check_types),
    _anf("exchange_fields", "ANF -> ANF: fields that are replaced move out of their pairs",
         "find_effects", exchange_fields, check_anf, check_types),
    _anf("borrow", "ANF -> ANF: what need not be owned", "exchange_fields",
         borrow, check_anf, check_types),
    _anf("insert_frees", "ANF -> ANF: writes every Dup and Free", "borrow", insert_frees),
    _anf("move_fields", "ANF -> ANF: the fields of a dying object move to the names that hold them",
         "insert_frees", move_fields),
    _anf("place_cleanups", "ANF -> ANF: writes what each failure releases", "move_fields",
         place_cleanups),
    Pass("check_owned", "ANF -> ANF: proves that every value is consumed exactly once",
         "place_cleanups", check_owned, _proof(check_owned), anf_text),
    Pass("check_types", "ANF -> ANF: proves that every operation gets what its C takes",
         "check_owned", check_types, _proof(check_types), anf_text),
    Pass("emit_c", "ANF -> C99: text only, every decision has been made", "check_types",
         emit_c, lambda owned, job: emit_c(whole_program(owned), lines=job.lines), str, (check_c,)),
    Pass("show_frees", "ANF -> text: the source with each tensor's death; only to look at",
         "check_types",
         show_frees, _show_frees, str),
)  # fmt: skip
PASSES = {pass_.name: pass_ for pass_ in _LIST}

# Shorter names for the passes whose results people look at most.
STAGES = {
    "core": "analyze", "python": "evaluate", "anf": "find_effects", "owned": "check_types",
    "c": "emit_c", "frees": "show_frees",
}  # fmt: skip

# Functions that are not passes, but that a crash report should name: what they were doing.
STEPS = {
    evaluate_library: "evaluate",
    library_objects: "compiling the library's C",
    compile_objects: "the C compiler",
    run_compiler: "the C compiler",
}


def find_pass(word: str) -> Pass:
    """The pass of a name, or of the stage of a name; a UsageFault if there is none."""
    name = word.replace("-", "_")
    name = STAGES.get(name, name)
    if name in PASSES:
        return PASSES[name]
    near = get_close_matches(name, [*PASSES, *STAGES], n=2)
    suggestion = f"did you mean {' or '.join(near)}? " if near else ""
    raise UsageFault(
        f"lambent: unknown pass: {word}", hint=f"{suggestion}lambent show lists the passes"
    )


def list_text() -> str:
    """Every pass and what it does, in order."""
    short = {name: stage for stage, name in STAGES.items()}
    width = max(map(len, PASSES))
    lines = [
        f"{name:{width}}  {p.does}{f' ({short[name]})' if name in short else ''}\n"
        for name, p in PASSES.items()
    ]
    return "".join(lines)


def run_pass(pass_: Pass, value: Any, job: Job) -> Any:
    """What a pass returns, checked if the job verifies."""
    with timed(pass_.name):
        result = call_deep(pass_.run, value, job)
    if job.verifies:
        with timed("verification"):
            verify(pass_, result, value)
    return result


def verify(pass_: Pass, result: Any, before: Any) -> None:
    """Raise an exception unless what a pass has returned is in order.

    before: what it was given, in order as far as the verifiers of the pass before can tell.  Those
    of ANF do not prove again what it has left as it was.
    """
    proved_already = PASSES[pass_.after].verifiers if pass_.after is not None else ()
    for verifier in pass_.verifiers:
        if verifier not in proved_already:
            call_deep(verifier, result)
        elif result is not before:
            proved = (before,) if isinstance(result, Anf) else ()
            call_deep(verifier, result, *proved)


def run_to(last: str, job: Job) -> Any:
    """What the pass of a name returns for the job's source."""
    return run_between(None, last, job.source, job)


def run_between(first: str | None, last: str, value: Any, job: Job) -> Any:
    """What the pass `last` returns, where the pass `first` returned the value."""
    for pass_ in path_between(first, last):
        value = run_pass(pass_, value, job)
    return value


def path_between(first: str | None, last: str) -> list[Pass]:
    """The passes after `first` that lead to `last`, in order."""
    path: list[Pass] = []
    name: str | None = last
    while name != first:
        assert name is not None, f"{last} does not come after {first}"
        path.insert(0, PASSES[name])
        name = PASSES[name].after
    return path


def is_compiled(name: str) -> bool:
    """Whether a pass belongs to the compiler alone."""
    return PASSES["refuse_evaluator"] in path_between(None, name)


def show_after(
    word: str, source: Source, *, everything: bool = False, inlines: bool = True
) -> str:
    """What a pass returns for a source, printed."""
    pass_ = find_pass(word)
    inlines = inlines and pass_.name != "show_frees"  # which notes deaths in the source
    is_script = not is_compiled(pass_.name)
    job = Job(source, evaluates=is_script, inlines=inlines, everything=everything)
    text = call_deep(pass_.show, run_to(pass_.name, job))
    return text if text.endswith("\n") else text + "\n"


# What the passes are given besides the program.


def program_scope(source: Source, evaluates: bool = True) -> Scope:
    """What a program can name before its first form, and import."""
    read_operators_with(read_operators)
    modules = Modules(library_names(), LibraryMacros(), lazy_evaluator(), evaluates)
    return modules.program_scope(source.name)


def call_evaluator() -> CallEvaluator:
    """Computes calls with known arguments before a program runs."""
    from lambent.lang.interp.meta_calls import MetaCallEvaluator

    return MetaCallEvaluator()
