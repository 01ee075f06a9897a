"""The cost of compiling grows like the length of the program, whatever it consists of.

The cost is the number of Python calls in the compiler, which is the same at each run, and the
length of the C: twice the program must cost little more than twice as much.  The programs are those
of tests/bench/compile_time.py, which measures the time of large ones.  Machine code's calls are not
counted, so the passes run as Python.
"""

from collections.abc import Callable, Iterator
from cProfile import Profile
from typing import TypeVar

import pytest

from lambent.lang.compile.c.emit_c import emit_c
from lambent.lang.compile.types import infer
from lambent.lang.compile.types.unboxing import FlowNode
from lambent.lang.compile.versions import split_fixnums
from lambent.lang.core.check.check import check
from lambent.lang.deep import call_deep
from lambent.lang.interp.emit.evaluate import evaluate
from lambent.lang.interp.run import new_machine
from lambent.lang.passes import call_evaluator
from lambent.lang.pipeline import compile_source, program_of
from lambent.lang.syntax.source import Source
from tests.bench import compile_time as programs

T = TypeVar("T")

MOST_GROWTH = 2.5  # of twice the program


def calls_of(job: Callable[[], T]) -> tuple[int, T]:
    """How many calls a job makes, and its result."""
    profile = Profile(subcalls=False)
    result = call_deep(lambda: profile.runcall(job))
    return sum(entry.callcount for entry in profile.getstats()), result


def cost(program: str) -> tuple[int, str]:
    """How many calls compiling takes, and the C."""
    calls, text = calls_of(lambda: emit_c(compile_source(Source("growth.lisp", program))))
    assert calls > 1000
    return calls, text


def nested_beside_tensors(depth: int) -> str:
    """Nested procedures in a program that uses tensors."""
    return programs.nested_procedures(depth) + "(print (tensor '(1 2)))\n"


def defaults_of(count: int) -> str:
    """A procedure with many variables that hold defaults, used at its end."""
    names = [f"x{i}" for i in range(count)]
    bound = "".join(f"(define {x} (hash-ref table '{x} (lambda () 0)))\n" for x in names)
    used = "".join(f"(print (+ {x} 1))\n" for x in names)
    return f"(define table (hash-table))\n(define (f)\n{bound}{used})\n(f)\n"


ROWS: list[tuple[Callable[[int], str], int]] = [
    (programs.case_of, 60), (programs.symbols_of, 60), (programs.cond_of, 60),
    (programs.nested_ifs, 150), (programs.nested_lets, 60), (programs.long_program, 150),
    (programs.definitions_of, 100), (programs.variables_of, 120), (programs.long_body, 60),
    (programs.quoted_list, 400), (programs.quoted_data, 40), (programs.tensor_literal, 40),
    (programs.nested_procedures, 40), (programs.nested_loops, 30), (programs.lambdas_of, 100),
    (programs.recursive_cond_of, 200), (programs.choices_of_choices, 40),
    (programs.tail_calls_of, 60), (programs.nested_conditions, 60), (programs.long_let, 60),
    (programs.loops_as_bodies, 60), (programs.nested_guards, 60), (programs.deep_data, 200),
    (nested_beside_tensors, 40),
]  # fmt: skip


@pytest.mark.parametrize(("program", "size"), ROWS, ids=[row[0].__name__ for row in ROWS])
def test_cost_is_near_linear(program: Callable[[int], str], size: int) -> None:
    cost(program(2))  # what is done once, such as to read the library
    nothing, _ = cost(program(2))
    once, once_c = cost(program(size))
    twice, twice_c = cost(program(2 * size))
    assert (twice - nothing) / (once - nothing) < MOST_GROWTH
    assert len(twice_c) / len(once_c) < MOST_GROWTH


@pytest.mark.parametrize(
    "program",
    [programs.nested_guards, programs.loops_as_bodies, programs.nested_conditions, defaults_of],
)
def test_checks_are_near_linear(program: Callable[[int], str]) -> None:
    """The checks behind the warnings of `lambent compile` take linear time, too."""

    def calls(size: int) -> int:
        parsed = program_of(Source("growth.lisp", program(size)))
        return calls_of(lambda: check(parsed, call_evaluator()))[0]

    calls(2)
    nothing, once, twice = calls(2), calls(60), calls(120)
    assert (twice - nothing) / (once - nothing) < MOST_GROWTH


def record_types(count: int) -> str:
    """Types whose procedures have names of their own."""
    return "".join(
        f"(define-record-type t{i} (make-t{i} x y{i}) t{i}? (x t{i}-x) (y{i} t{i}-y))\n"
        for i in range(count)
    )


@pytest.mark.parametrize("program", [record_types, programs.symbols_of])
def test_scripts_are_compiled_in_near_linear_time(program: Callable[[int], str]) -> None:
    library = new_machine().library.trampolined

    def calls(size: int) -> int:
        parsed = program_of(Source("growth.lisp", program(size)))
        return calls_of(lambda: evaluate(parsed, "program", closed=True, library=library))[0]

    calls(2)
    nothing, once, twice = calls(2), calls(60), calls(120)
    assert (twice - nothing) / (once - nothing) < MOST_GROWTH


def test_hints_at_calls_do_not_repeat_a_line_again_and_again() -> None:
    found = check(program_of(Source("names.lisp", "print " * 200)), call_evaluator())
    assert len(found) == 200
    assert max(len(diagnostic.hint or "") for diagnostic in found) < 100


@pytest.mark.parametrize(
    "program", [programs.quoted_list, programs.quoted_data, programs.tensor_literal]
)
def test_data_adds_no_code(program: Callable[[int], str]) -> None:
    """The C is the same but for the table of constants."""
    codes = []
    for size in (100, 200):
        _, text = cost(program(size))
        before, _, rest = text.partition("literals[] = {")
        codes.append((before.count("\n"), rest[rest.index("\n};") :].count("\n")))
    assert codes[0] == codes[1]


def test_rare_paths_are_little_code() -> None:
    """A release after a failure is a call, because a C compiler would optimize inline code at each
    of a thousand positions; uncounted values are not dupped; an empty list needs no call."""
    source = Source("growth.lisp", programs.long_program(100))
    text = emit_c(compile_source(source, inlines=False))
    steps = text[text.index("static rt_value fn_step_1_others(rt_number x)\n") :]
    labels = steps[steps.index("\nfree_") : steps.index("\n}")]
    assert "rt_free_cold(x.value);" in labels and "rt_free(" not in labels
    top = text[text.index("/* The top level. */") :]
    assert "fn_walk_1(1LL, list_2);" in top
    assert "rt_dup(" not in top and "rt_list(" not in top


def test_inference_walks_through_a_function_few_times() -> None:
    """When a name that has not been read yet changes, its function is not walked through again.
    `split_doubles`, `split_fixnums` and `type_program` infer once each, `clone_procedures` only
    where there are doubles."""
    count = 100
    cost(programs.definitions_of(2))
    with pytest.MonkeyPatch.context() as patch:
        walks: list[str] = []
        run = infer._Round.run
        patch.setattr(infer._Round, "run", lambda one: (walks.append(one.function.name), run(one)))
        compile_source(Source("growth.lisp", programs.definitions_of(count)), inlines=False)
    assert 2 * count < len(walks) < 7 * count


def test_flows_are_followed_only_to_integers() -> None:
    """A list may flow through the whole program, and so may an integer after its second use."""
    with pytest.MonkeyPatch.context() as patch:
        passed: list[object] = []
        reached = split_fixnums._Uses.reached

        def noted(uses: split_fixnums._Uses, node: FlowNode) -> Iterator[FlowNode]:
            for other in reached(uses, node):
                passed.append(other)
                yield other

        patch.setattr(split_fixnums._Uses, "reached", noted)
        compile_source(Source("growth.lisp", programs.long_program(600)))
    assert 50 < len(passed) < 600
