"""Accesses that do not test their index: those that may stay, and that no other is one.

Random loops go up and down, by steps and by halves, between all kinds of limits, over vectors and
strings of a few sizes, given or new, and often leave them.  Under the address sanitizer an access
that trusted a wrong index is an error of its own; and both back ends must print the same.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lambent.lang.compile.ir.anf import Anf, Apply, Bind, Block, If, Loop, Statement
from lambent.lang.compile.ir.operands import all_blocks
from lambent.lang.compile.types.check_bounds import BoundsError, check_bounds
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source
from tests.support.binaries import build_texts, finish

LOOPS = 60
STARTS = ("0", "0", "0", "1", "-1", "n", "(- n 1)", "(- n 1)", "(- k 1)", "(quotient n 2)")
STEPS = (
    "(+ {0} 1)", "(+ {0} 1)", "(+ {0} 1)", "(- {0} 1)", "(- {0} 1)", "(+ {0} 2)",
    "(quotient {0} 2)", "{0}", "n", "{1}",
)  # fmt: skip
LIMITS = ("n", "n", "n", "k", "k", "0", "0", "j", "m", "(- n 1)", "(string-length s)")
INDICES = ("i", "i", "i", "i", "j", "j", "(+ i 1)", "(- i 1)", "(- j 1)", "(- n 1)", "0")
ACCESSES = (
    "(vector-ref v {})", "(vector-ref v {})", "(vector-ref w {})",
    "(char->integer (string-ref s {}))", "(begin (vector-set! v {} 1.5) 2)",
)  # fmt: skip
SIZES = ("n", "n", "(+ n 1)", "(+ n 1)", "(+ n 2)", "(- n 1)", "k", "m", "3")
CALLS = """
(define (try name f . arguments)
  (display name) (display " ")
  (guard (e (#t (display (error-object-message e)) (newline)))
    (display (apply f arguments))
    (newline)))
(define (try-all name f)
  (do ((n 0 (+ n 1))) ((= n 4))
    (do ((k 0 (+ k 2))) ((= k 6))
      (do ((m -1 (+ m 2))) ((= m 5))
        (try name f (make-vector n 1) (make-vector k 2.5) (make-string k #\\a) m)))))
"""


def condition_of(choose: random.Random) -> str:
    test = f"({choose.choice(('=', '=', '<', '>', '<=', '>='))} {choose.choice('iij')} "
    test += f"{choose.choice(LIMITS)})"
    return f"(not {test})" if choose.random() < 0.2 else test


def loop_of(seed: int) -> str:
    """A procedure with a loop.  fuel ends it in any case."""
    choose = random.Random(seed)
    start_i, start_j = choose.choice(STARTS), choose.choice(STARTS)
    step_i, step_j = choose.choice(STEPS).format("i", "j"), choose.choice(STEPS).format("j", "i")
    found = choose.choice(ACCESSES).format(choose.choice(INDICES))
    other = choose.choice(ACCESSES).format(choose.choice(INDICES))
    body = f"(loop {step_i} {step_j} (- fuel 1) (+ sum {found}))"
    if choose.random() < 0.5:
        again = f"(loop {step_i} {step_j} (- fuel 1) (- sum {other}))"
        body = f"(if {condition_of(choose)} {body} {again})"
    ends = f"(or (= fuel 0) {condition_of(choose)})" if choose.random() < 0.8 else "(= fuel 0)"
    if choose.random() < 0.5:
        ends = f"(or {condition_of(choose)} {ends})"
    return f"""
(define (f{seed} v w s m)
  (let ((n (vector-length v)) (k (vector-length w)))
    (let loop ((i {start_i}) (j {start_j}) (fuel 12) (sum 0))
      (if {ends} sum {body}))))
(try-all "f{seed}" f{seed})
"""


def new_loop_of(seed: int) -> str:
    """A loop over a new vector and a new string, made before the loop or in each iteration."""
    choose = random.Random(-seed)
    vector, text = choose.choice(SIZES), choose.choice(SIZES)
    made = f"(let ((v (make-vector {vector} 1)) (s (make-string {text} #\\a)))"
    loop = loop_of(seed)
    if choose.random() < 0.7:
        return loop.replace("(let loop", f"{made} (let loop").replace("\n(try-all", ")\n(try-all")
    made = made.replace(vector, "i", 1) if choose.random() < 0.5 else made
    return loop.replace("      (if", f"      {made} (if").replace("\n(try-all", ")\n(try-all")


def program_of(seeds: range) -> str:
    loops = [loop_of(seed) + new_loop_of(seed + LOOPS) for seed in seeds]
    return CALLS + "".join(loops)


def trusted(program: Anf) -> Iterator[Bind]:
    for function in (*program.functions, program.main):
        for block in all_blocks(function.body):
            for statement in block.statements:
                match statement:
                    case Bind(operation=Apply(variant=variant)) if variant and variant.inside:
                        yield statement


def test_random_loops_stay_inside(tmp_path: Path) -> None:
    text = program_of(range(LOOPS))
    source = tmp_path / "loops.lisp"
    source.write_text(text, encoding="utf-8")
    binary = build_texts({"loops": text}, tmp_path)
    compiled = finish([str(binary), "loops"], tmp_path)
    script = finish([sys.executable, "-m", "lambent.lang", source], tmp_path)
    assert compiled == script
    anf = compile_source(Source("loops.lisp", text))
    assert len(list(trusted(anf))) >= 3


SUM = """
(define (sum v)
  (let loop ((i 0) (sum 0))
    (if (= i (vector-length v)) sum (loop (+ i 1) (+ sum (vector-ref v i))))))
(print (sum (vector 1 2)))
"""
TRUSTED = {
    "up to the length": SUM,
    "below the length": SUM.replace("(= i (vector-length v))", "(>= i (vector-length v))"),
    "by a test inside": SUM.replace("(= i (vector-length v))", "(not (< i (vector-length v)))"),
    "by halves": SUM.replace("(vector-ref v i)", "(vector-ref v (quotient i 2))"),
    "down": """
(define (sum v)
  (let loop ((i (- (vector-length v) 1)) (sum 0))
    (if (< i 0) sum (loop (- i 1) (+ sum (vector-ref v i))))))
(print (sum (vector 1 2)))
""",
    "after an access": """
(define (twice v i) (vector-ref v i) (vector-ref v i))
(print (twice (vector 1 2) 1) (twice (vector 1 2) 0))
""",
    "of a new vector": """
(define (filled n)
  (let ((v (make-vector n 0)))
    (do ((i 0 (+ i 1)) (sum 0 (+ sum (vector-ref v i)))) ((= i n) sum))))
(print (filled 3))
""",
    "of one that is longer": """
(define (filled n)
  (let ((v (make-vector (+ n 1) 0)))
    (do ((i 1 (+ i 1)) (sum 0 (+ sum (vector-ref v (- i 1))))) ((> i n) sum))))
(print (filled 3))
""",
    "of a constant length": """
(define (filled)
  (let ((v (make-vector 100 0)))
    (do ((i 0 (+ i 1)) (sum 0 (+ sum (vector-ref v i)))) ((= i 100) sum))))
(print (filled))
""",
    "of a string": """
(define (hash s)
  (do ((i 0 (+ i 1)) (h 0 (modulo (+ (* h 31) (char->integer (string-ref s i))) 1009)))
      ((= i (string-length s)) h)))
(print (hash "abc"))
""",
}


@pytest.mark.parametrize("name", TRUSTED)
def test_an_access_inside_tests_no_index(name: str) -> None:
    assert list(trusted(compile_source(Source("case.lisp", TRUSTED[name]))))


TESTED = {
    "a step of two": SUM.replace("(+ i 1)", "(+ i 2)"),
    "another start": SUM.replace("((i 0)", "((i 1)"),
    "another vector": """
(define (sum v w)
  (let loop ((i 0) (sum 0))
    (if (= i (vector-length v)) sum (loop (+ i 1) (+ sum (vector-ref w i))))))
(print (sum (vector 1 2) (vector 1 2)))
""",
    "after the step": SUM.replace("(vector-ref v i)", "(vector-ref v (+ i 1))"),
    "a new one that is too short": """
(define (filled n)
  (let ((v (make-vector n 0)))
    (do ((i 0 (+ i 1)) (sum 0 (+ sum (vector-ref v i)))) ((> i n) sum))))
(print (guard (e (#t 'outside)) (filled 3)))
""",
    "another constant": """
(define (filled)
  (let ((v (make-vector 100 0)))
    (do ((i 0 (+ i 1)) (sum 0 (+ sum (vector-ref v i)))) ((= i 101) sum))))
(print (guard (e (#t 'outside)) (filled)))
""",
    "one of each iteration": """
(define (filled n)
  (let loop ((i 0) (v (make-vector n 0)) (sum 0))
    (if (= i n)
        sum
        (loop (+ i 1) (make-vector (quotient n 2) 0) (+ sum (vector-ref v i))))))
(print (guard (e (#t 'outside)) (filled 3)))
""",
    "a length of before": """
(define (sum rows)
  (let loop ((i 0) (j 0) (sum 0))
    (if (= i 2)
        sum
        (let ((row (vector-ref rows i)))
          (if (< j (vector-length row))
              (loop i (+ j 1) (+ sum (vector-ref row j)))
              (loop (+ i 1) j (+ sum (vector-ref row j))))))))
(print (sum (vector (vector 1 2) (vector 1 2 3))))
""",
}  # fmt: skip


@pytest.mark.parametrize("name", TESTED)
def test_an_access_that_may_be_outside_tests_its_index(name: str) -> None:
    text = TESTED[name]
    found = [bind.operation.arguments for bind in trusted(compile_source(Source("c.lisp", text)))]
    assert len(found) == (1 if name == "a length of before" else 0)


def test_the_verifier_refuses_an_index_that_may_be_outside() -> None:
    program = compile_source(Source("case.lisp", SUM))
    check_bounds(program)
    functions = tuple(
        replace(function, body=_without_first_test(function.body)) for function in program.functions
    )
    with pytest.raises(BoundsError, match="may not be inside"):
        check_bounds(replace(program, functions=functions))


def _without_first_test(block: Block) -> Block:
    """The branch in which a loop goes on, in place of its test and both branches."""
    found: list[Statement] = []
    for statement in block.statements:
        match statement:
            case If(orelse=orelse):
                return Block((*found, *orelse.statements), orelse.end)
            case Loop(body=body):
                found.append(replace(statement, body=_without_first_test(body)))
            case _:
                found.append(statement)
    return Block(tuple(found), block.end)
