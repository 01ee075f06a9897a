"""The emitted C: its names and its layout, its cleanup, and that compilers accept it.

Every program in `tests/programs/` tests what the C does; `golden/c.case` tests how it looks.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

from lambent.lang.compile.build.toolchain import Options
from lambent.lang.compile.c.c_constants import c_string
from lambent.lang.compile.c.cleanup import Chains
from lambent.lang.compile.c.emit_c import emit_c
from lambent.lang.compile.c.layout import WIDTH, wrapped
from lambent.lang.compile.c.literals import Literals
from lambent.lang.compile.c.names import Scope, c_comment, c_name
from lambent.lang.compile.ir.anf import Anf, Representation
from lambent.lang.errors import LispError
from lambent.lang.pipeline import compile_source, read_source
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from tests.support.binaries import CHECKED, build_programs, finish
from tests.support.paths import ROOT
from tests.support.programs_run import is_due_today

NO_LEAKS = "live handles: 0, live objects: 0\n"


def owned(text: str) -> Anf:
    return compile_source(Source("case.lisp", text))


@pytest.mark.parametrize(
    ("lisp", "c"),
    [
        ("mean-pool!", "mean_pool_x"), ("even?", "even_p"), ("string->list", "string_to_list"),
        ("int", "int_"), ("NULL", "NULL_"), ("rt_car", "rt_car_"), ("free", "free_"),
        ("x.2", "x"), ("x.lib.2", "x"), ("+", "plus"), ("1+", "n1_plus"), ("->", "to"),
        ("λ", "u3bb"), ("a*b", "a_times_b"), ("...", "n"), ("_x", "x"), ("X", "X"),
    ],
)  # fmt: skip
def test_names_are_kept(lisp: str, c: str) -> None:
    assert c_name(lisp) == c


def test_a_scope_tells_equal_names_apart() -> None:
    scope = Scope()
    names = [scope.name(key, "x") for key in ("x", "x.2", "x")]
    assert names == ["x", "x_2", "x"]


@pytest.mark.parametrize(
    ("text", "c"),
    [
        ('say "hi"\\', r'"say \"hi\"\\"'), ("a\nb\tc", r'"a\nb\tc"'), ("é", r'"\303\251"'),
        ("??=", r'"?\?="'), ("\x01" + "2", r'"\0012"'),
    ],
)  # fmt: skip
def test_strings(text: str, c: str) -> None:
    assert c_string(text) == c


def test_no_source_ends_a_comment() -> None:
    assert c_comment("(f */ x)") == "/* (f * / x) */"


def test_chains_share_their_end() -> None:
    chains = Chains(lambda name: 0)
    asked = [chains.label(live) for live in [("q", "t1"), ("q", "scores"), ("q",), ("q", "t1")]]
    assert asked == ["free_t1", "free_scores", "free_q", "free_t1"]
    steps = [(step.label, step.release, step.jump) for step in chains.steps()]
    assert steps == [
        ("free_scores", "scores", "free_q"),
        ("free_t1", "t1", None),
        ("free_q", "q", None),
        (None, None, None),
    ]


@pytest.mark.parametrize(
    ("representation", "text", "c"),
    [
        ("value", "7", "rt_of_fixnum(7LL)"),
        ("value", "-4611686018427387904", "rt_of_fixnum((-4611686018427387904LL))"),
        ("fixnum", "-7", "(-7LL)"), ("float", "0.1", "0.1"), ("float", "-0.0", "(-0.0)"),
        ("float", "2", "2.0"), ("float", "-inf.0", "(-(double)INFINITY)"),
        ("float", "1e21", "1e+21"), ("boolean", "#t", "true"), ("value", "()", "RT_NIL"),
        ("value", '"hello, you"', "text_hello_you"), ("value", "even?", "symbol_even_p"),
        ("value", ":dim", "keyword_dim"), ("value", "(1)", "list_1"),
        ("value", "1.5", "rt_of_double(1.5)"), ("value", "1e300", "number_1"),
        ("value", "#\\a", "RT_CHAR(97U)"),
    ],
)  # fmt: skip
def test_constants(representation: str, text: str, c: str) -> None:
    [datum] = read(Source("case.lisp", text))
    assert Literals().expression(datum, Representation(representation)) == c


def test_long_lines_are_broken_outside_of_strings() -> None:
    text = f'    f("{"a, " * 40}", {", ".join(["argument"] * 30)});'
    lines = list(wrapped([text]))
    assert "".join(line.strip() for line in lines).replace(" ", "") == text.replace(" ", "")
    assert all(len(line) <= WIDTH for line in lines[1:])


# The C of programs of tests/programs/, another part each day: a third of those without tensors, and
# an eighteenth of the others, which take longer; and of an eighth of tests/errors/ that is new in
# each run, and only looked at.


def sources(all_random: bool) -> Iterator[Path]:
    errors = sorted((ROOT / "tests/errors").glob("*.lisp"))
    programs = sorted((ROOT / "tests/programs").glob("*.lisp"))
    for path in (*random.sample(errors, len(errors) // (1 if all_random else 8)), *programs):
        may_use_tensors = re.search("tensor|module|model|llm|lispe", path.read_text())
        some = is_due_today(path.name, 18 if may_use_tensors else 3)
        if all_random or some or path.stem in VARIED:
            yield path


@pytest.fixture(scope="module")
def programs(all_random: bool) -> dict[str, Anf]:
    found = {}
    for path in sources(all_random):
        name = str(path.relative_to(ROOT))
        try:
            found[name] = compile_source(read_source(name))
        except LispError:
            continue  # a program that cannot be read
    return found


def test_the_text_is_always_the_same(programs: dict[str, Anf], all_random: bool) -> None:
    for name in list(programs)[:: 1 if all_random else 3]:
        anf = programs[name]
        text = emit_c(anf)
        assert text == emit_c(anf), name
        assert text.endswith("}\n")
        assert not re.search(r"[ \t]$", text, flags=re.M), name


def test_names_reserved_in_c(tmp_path: Path) -> None:
    text = """
        (define (int double)
          (let ((NULL (+ double 1)) (free 2) (rt_car 3)) (list NULL free rt_car)))
        (define (main argc) (int argc))
        (define program (main 1))
        (print program (map main '(1)) (let loop ((auto 0)) (if (< auto 3) (loop (+ auto 1)) auto)))
        """
    binary = build_programs({"names": owned(text)}, tmp_path, Options(strict=True))
    assert finish([binary, "names"], ROOT, CHECKED) == ("(2 2 3) ((2 2 3)) 3\n", NO_LEAKS, 0)


def test_long_top_level_is_split_where_no_variable_is_live(tmp_path: Path) -> None:
    count = "(set! n (+ n (string-length (number->string n))))\n"
    text = f"(define n 1)\n(define l (list n))\n{count * 200}(print l)\n{count * 200}(car n)"
    anf = owned(text)
    heads = re.findall(r"^static (?:RT_COLD )?rt_value top_level\w*", emit_c(anf), re.MULTILINE)
    assert len(heads) > 2
    binary = build_programs({"long": anf}, tmp_path, Options(optimize=False, strict=True))
    output, errors, _ = finish([binary, "long"], ROOT, CHECKED)
    assert output == "(1)\n"
    assert "case.lisp:404:1: car: expected a pair, got 1184\n" in errors
    assert errors.endswith(NO_LEAKS)


# Every operation that can fail fails, and nothing leaks.  The number of such operations is not
# bounded, so all of the first ones are tried, and later ones at growing distances; fewer in
# programs with tensors, whose runs take longer.


def failing_operations(tensors: bool) -> list[int]:
    first, steps, growth = (6, 6, 2.5) if tensors else (40, 24, 1.45)
    return [*range(1, first), *(int(first * growth**step) for step in range(steps))]


# Deep recursion that fails at many of its operations takes minutes, and more on a busy machine.  A
# quarter of the memory is its stack: a third of the usual one, which takes a sixth of the time.
_SECONDS = 1200
_MEMORY = 1 << 30


@pytest.mark.slow
@pytest.mark.parametrize("tensors", [False, True])
def test_no_failure_leaks(
    programs: dict[str, Anf], tensors: bool, all_random: bool, tmp_path: Path
) -> None:
    chosen = {
        name: anf
        for name, anf in programs.items()
        if anf.uses_tensors == tensors and "/programs/" in name
    }
    options = Options(optimize=False, inject=True, strict=True)
    binary = build_programs(chosen, tmp_path, options)
    operations = [str(number) for number in failing_operations(tensors)]
    for name in chosen:
        some = operations
        if tensors and not all_random:  # each run loads LibTorch
            some = operations[crc32(name.encode()) % 2 :: 2]
        # LibTorch maps more.
        memory = None if tensors else _MEMORY
        output, errors, status = finish(
            [binary, name, "inject", *some], ROOT, CHECKED, _SECONDS, memory
        )
        assert status == 0, f"{name}, {output}{errors}"


VARIED = ("assignment", "closures", "higher_order", "keywords", "list_library", "tail_calls")


@pytest.mark.slow
def test_optimized_c_has_no_warnings_and_no_wrong_access(
    programs: dict[str, Anf], tmp_path: Path
) -> None:
    chosen = {name: programs[f"tests/programs/{name}.lisp"] for name in VARIED}
    binary = build_programs(chosen, tmp_path, Options(strict=True, sanitize=True))
    for name in chosen:
        _, errors, _ = finish([binary, name], ROOT)
        assert errors.endswith(NO_LEAKS), name + errors
