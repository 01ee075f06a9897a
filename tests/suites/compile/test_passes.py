"""The list of passes: each can be shown, timed and verified, and a crash report names the pass."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lambent.lang.compile.c.check_c import CError, check_c
from lambent.lang.compile.ir.anf import Anf, Block, Yield
from lambent.lang.compile.ir.check_anf import AnfError, check_anf
from lambent.lang.compile.ir.check_lifted import LiftedError, check_lifted
from lambent.lang.compile.ir.lifted import CallFunction, LiftedProgram, Local
from lambent.lang.core.ir import Begin, Define, Lambda, Program
from lambent.lang.core.verify import CoreError, check_core, check_whole_core
from lambent.lang.crash_report import examine, report
from lambent.lang.evaluator.run_code import PASSES as EVALUATOR_PASSES
from lambent.lang.passes import (
    PASSES,
    STAGES,
    VERIFY,
    Job,
    find_pass,
    is_compiled,
    path_between,
    run_to,
    show_after,
)
from lambent.lang.syntax.datum import List
from lambent.lang.syntax.source import Source, Span
from lambent.lang.syntax.verify import DataError, check_data
from tests.support.paths import ROOT

TEXT = """\
(define (adder n) (let ((k 0)) (lambda (x) (set! k (+ k 1)) (+ x n k))))
(define (sum l) (let loop ((l l) (s 0.0)) (if (null? l) s (loop (cdr l) (+ s (car l))))))
(define (main)
  (print (map (adder 3) '(1 2)) (sum '(1.5 2.0)))
  (print (map (adder 4) '(1 2)) (sum '(2.5 2.0)))
  (no-grad (tensor-ones 2 3)))
(print (main))
"""
SOURCE = Source("demo.lisp", TEXT)


def result(name: str) -> Any:
    return run_to(name, Job(SOURCE, evaluates=not is_compiled(name), verifies=False))


@pytest.fixture(autouse=True)
def verified_after_each_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VERIFY, "1")


# A text that the printed result of each pass contains.
SHOWN = {
    "read": "(let ((k 0))", "expand": "(define (adder n)", "analyze": "(lambda adder (n)",
    "check": "\n", "evaluate": "def p:adder(n, /):", "refuse_evaluator": "(lambda adder (n)",
    "with_library": "(#%print (library:map", "inline": "(lambda adder (n)",
    "lift": "(function adder (n) (let-cell k 0)",
    "to_anf": "fn adder(n: value) -> value", "share_globals": "fn adder(n: value) -> value",
    "split_doubles": "fn adder(n: value) -> value",
    "clone_procedures": "fn adder(n: value) -> value",
    "split_fixnums": "fn adder(n: value) -> value",
    "split_records": "fn adder(n: value) -> value",
    "infer": "adder(n: counter) -> anything",
    "type_program": "fn adder(n: fixnum) -> value", "simplify": "fn adder(n: fixnum) -> value",
    "find_plain_truths": "fn adder(n: fixnum) -> value",
    "find_effects": "fn adder(n: fixnum) -> value",
    "exchange_fields": "fn adder(n: fixnum) -> value",
    "borrow": "fn sum(borrowed l: value)",
    "insert_frees": "free ", "move_fields": "free ", "place_cleanups": "failing frees ",
    "check_owned": "free ", "check_types": "free ",
    "emit_c": "static inline rt_number fn_sum(rt_value l)", "show_frees": "(define (adder n)",
}  # fmt: skip


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_is_shown(name: str) -> None:
    assert SHOWN[name] in show_after(name, SOURCE)


def test_stages_are_passes() -> None:
    for stage, name in STAGES.items():
        assert find_pass(stage) is PASSES[name]
        assert find_pass(name.replace("_", "-")) is PASSES[name]


def test_time_passes_shows_every_pass_and_the_c_compiler(tmp_path: Path) -> None:
    (tmp_path / "demo.lisp").write_text(TEXT)
    words = ["compile", "--time-passes", "demo.lisp"]
    done = subprocess.run(
        [sys.executable, "-m", "lambent.lang", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    rows = re.findall(r"^(.+?) +(\d+\.\d+) s +(\d+\.\d) %$", done.stderr, re.M)
    steps = [name for name, _, _ in rows]
    compiled = [n for n in PASSES if is_compiled(n) and n != "show_frees"]
    assert {"read", "analyze", *compiled, "C compiler", "linker", "total"} <= set(steps)
    seconds = [float(number) for _, number, _ in rows]
    assert sum(seconds[:-1]) == pytest.approx(seconds[-1], abs=0.01)
    assert (tmp_path / "demo").exists()


def test_the_guide_for_contributors_names_every_pass() -> None:
    """And no other one: its table says what each establishes."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## The passes")[2].partition("\n## ")[0]
    named = re.findall(r"`(\w+)`", "\n".join(
        line.split("|")[1] for line in table.splitlines() if line.startswith("| `")))
    leaves = {"expand", "infer", "show_frees", "refuse_evaluator"}
    assert named == [name for name in PASSES if name not in leaves]


def test_every_pass_of_the_compiler_leads_to_c() -> None:
    """A pass that no `after` names would only be shown."""
    leaves = {"expand", "check", "evaluate", "infer", "show_frees"}
    path = [pass_.name for pass_ in path_between(None, "emit_c")]
    assert path == [name for name in PASSES if name not in leaves]


def test_the_evaluator_runs_passes_in_the_order_of_the_list() -> None:
    functions = [pass_.function for pass_ in path_between(None, "emit_c")]
    places = [functions.index(function) for function in EVALUATOR_PASSES]
    assert places == sorted(set(places))


# ---- Verification -------------------------------------------------------------------------------


def test_verifiers_catch_a_broken_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """With LAMBENT_VERIFY, as programs of tests/programs are compiled."""
    broken = replace(PASSES["simplify"], run=lambda anf, job: _without_functions(anf))
    monkeypatch.setitem(PASSES, "simplify", broken)
    with pytest.raises(AnfError, match="main: there is no function"):
        run_to("find_plain_truths", Job(SOURCE, evaluates=False))


def test_a_crash_names_the_pass_that_a_verifier_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(PASSES["simplify"], run=lambda anf, job: _without_functions(anf))
    monkeypatch.setitem(PASSES, "simplify", broken)
    with pytest.raises(AnfError) as raised:
        run_to("find_plain_truths", Job(SOURCE, evaluates=False))
    crash = examine(raised.value)
    assert crash.step == "the verification of simplify"
    assert crash.function == "function main"
    assert crash.before is not None and crash.before.startswith("fn main() -> value\n")


def _without_functions(anf: Anf) -> Anf:
    return replace(anf, functions=())


def test_data_with_spans_outside_the_text_are_found() -> None:
    data = result("read")
    check_data(data)
    inner = data[0].items[0]
    moved = replace(inner, span=Span(SOURCE, 200, 204))
    with pytest.raises(DataError, match="exceeds the one around it"):
        check_data([List((moved,), None, data[0].span)])
    with pytest.raises(DataError, match="before the previous one ends"):
        check_data([data[1], data[0]])


def test_core_that_breaks_a_rule_is_found() -> None:
    program: Program = result("analyze")
    check_core(program)
    adder = program.forms[0]
    assert isinstance(adder, Define) and isinstance(adder.value, Lambda)
    for message, form in {
        "a definition of adder inside a form": Begin((adder,), adder.span),
        "n is not in scope": replace(adder, value=replace(adder.value, parameters=())),
        "n is bound twice": replace(adder, value=replace(adder.value, parameters=("n", "n"))),
        "a begin of no forms": Begin((), adder.span),
    }.items():
        with pytest.raises(CoreError, match=message):
            check_core(Program((form,)))
    with pytest.raises(CoreError, match="map is not defined"):
        check_whole_core(program)


def test_lifted_programs_that_break_a_rule_are_found() -> None:
    program: LiftedProgram = result("lift")
    check_lifted(program)
    with pytest.raises(LiftedError, match="there is no function"):
        check_lifted(replace(program, functions=program.functions[:1]))
    function = next(f for f in program.functions if f.name == "adder")
    for message, body in {
        "y is not in scope": Local("y", function.body.forms[0].storage, function.span),  # type: ignore[union-attr]
        "adder is called with another": CallFunction("adder", (), (), False, function.span),
    }.items():
        wrong = [replace(f, body=body) if f is function else f for f in program.functions]
        with pytest.raises(LiftedError, match=message):
            check_lifted(replace(program, functions=tuple(wrong)))


def test_anf_that_breaks_a_rule_is_found() -> None:
    program: Anf = result("find_effects")
    check_anf(program)
    main, block = program.main, program.main.body
    for message, body in {
        "nothing is not in scope": Block(block.statements, Yield("nothing")),
        "is bound twice": Block((*block.statements, block.statements[0]), block.end),
    }.items():
        with pytest.raises(AnfError, match=message):
            check_anf(replace(program, main=replace(main, body=body)))
    with pytest.raises(AnfError, match=r"ownership before it is decided|a free before"):
        check_anf(result("insert_frees"))


def test_invalid_c_is_found() -> None:
    text = result("emit_c")
    check_c(text)
    with pytest.raises(CError, match=r"closes nothing|stays open"):
        check_c(text.replace("{", "", 1))
    label = next(m[1] for m in re.finditer(r"goto (\w+);", text))
    with pytest.raises(CError, match="without a label"):
        check_c(re.sub(rf"^( *){label}:", r"\1", text, flags=re.M))


@pytest.mark.parametrize(
    "text",
    [
        "int64_t x = 86400000 * 365;", "int64_t x = t + 1;", "bool x = (t & 1LL) != 0;",
        "int64_t x = -5;", "int64_t x = t < 3 ? a : b;", "int64_t x = (int64_t)1 << t;",
        "double x = 1.5 * (3);", "int64_t x = ~0x10;", "f(a, t - 3);", "int64_t x = t ? 1 : 2;",
    ],
)  # fmt: skip
def test_c_that_computes_with_an_int_is_found(text: str) -> None:
    with pytest.raises(CError, match="C would compute with an int"):
        check_c(text)


@pytest.mark.parametrize(
    "text",
    [
        "int64_t x = 86400000LL * 365LL;", "f(3, (rt_value[]){a, b}, 0x3ULL, &locations[4]);",
        "x = 1e+22 - 1e-05 * 2.0;", "for (size_t i = 0; i < sizeof a / sizeof *a; i++)",
        "/* 3 + 4 */ return 1;", 'g("3 + 4");', "t_1 = x2 - (-5LL);", "x = {.count = 3};",
    ],
)  # fmt: skip
def test_c_whose_numbers_have_types_is_right(text: str) -> None:
    check_c(text)


# ---- Crashes ------------------------------------------------------------------------------------

# Replaces a function that the pass uses by a broken one, and runs the command.
BREAK = """\
import importlib, sys
from lambent.lang import cli
def broken(*_: object) -> None: raise AssertionError("no such luck")
module, name, *sys.argv[1:] = sys.argv[1:]
setattr(importlib.import_module(f"lambent.lang.{module}"), name, broken)
sys.exit(cli.main())
"""
CRASHES = {
    "analyze": ("core.expressions", "macro_use", "compile", "adder", "(define (adder n)"),
    "to_anf": ("compile.closures.to_anf", "never_returns", "compile", None, "(function"),
    "borrow": ("compile.ownership.borrow", "_is_kept", "compile", None, "fn "),
    "insert_frees": ("compile.ownership.insert_frees", "_last_span", "compile", None, "fn "),
    "the C compiler": ("compile.build.toolchain", "_require_success", "compile", None, None),
    "evaluate": ("interp.emit.evaluate", "_code", "", None, "(define "),
}


@pytest.mark.parametrize(
    ("step", "cache"), [*((step, None) for step in CRASHES), ("the C compiler", "empty")]
)
def test_a_crash_names_the_pass_and_keeps_what_a_report_needs(
    tmp_path: Path, step: str, cache: str | None
) -> None:
    """cache: an empty one, where the first thing that is compiled is the runtime."""
    module, name, command, function, before = CRASHES[step]
    (tmp_path / "demo.lisp").write_text(TEXT)
    words = [module, name, *command.split(), "demo.lisp"]
    done = subprocess.run(
        [sys.executable, "-c", BREAK, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        env={
            **os.environ, "LAMBENT_MACHINE": "0",  # which has the step "evaluate"
            **({"LAMBENT_CACHE": str(tmp_path / cache)} if cache else {}),
        },
    )
    assert done.returncode == 70, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith(f"lambent: internal error in {step}")
    path = Path(re.findall(r"the file (\S+)$", done.stderr, re.M)[0])
    report = path.read_text()
    path.unlink()
    for text in (
        f"pass:      {step}\n",
        "lambent:   0.1.0",
        "python:    3.",
        "torch:     ",
        "platform:  ",
        "'demo.lisp'",
        "Traceback",
        "no such luck",
    ):
        assert text in report
    assert f"--- demo.lisp\n{TEXT}" in report
    if function is not None:
        assert f", function {function} (demo.lisp:" in done.stderr.splitlines()[0]
    if before is not None:
        assert f"--- before {step}\n{before}" in report


def test_a_crash_is_told_also_where_no_report_can_be_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    said = report(KeyError("shelf"))
    assert said.startswith("lambent: internal error: KeyError: 'shelf'\n")
    assert said.endswith("(no report is kept: No such file or directory)")
