"""The walk forward through a function: what holds after branches and in loops (`ir/forward.py`).

A small analysis follows constants.  `(print "a" a)` tells what it knows of a there; `(newline)`
makes it forget everything.
"""

from collections.abc import Sequence

import pytest

from lambent.lang.compile.ir.anf import Anf, Apply, Bind, Function, Literal
from lambent.lang.compile.ir.blocks import Target
from lambent.lang.compile.ir.forward import Forward
from lambent.lang.compile.ir.known import Known
from lambent.lang.passes import Job, run_to
from lambent.lang.syntax.datum import Number, String
from lambent.lang.syntax.source import Source


class Constants(Forward[str, int]):
    """told: for each label what has been known there in the last walk."""

    def __init__(self, function: Function) -> None:
        self.labels: dict[str, str] = {}
        self.told: dict[str, int | None] = {}
        self.walks = 0
        self.begin(Known())
        self.block(function.body)

    def bind(self, bind: Bind) -> None:
        match bind.operation:
            case Literal(Number(int(number))):
                self.known.learn(bind.name, number)
            case Literal(String(text)):
                self.labels[bind.name] = text
            case Apply(primitive, (label, name)) if primitive.name == "print":
                self.told[self.labels[label]] = self.known.facts.get(name)
                self.walks += self.labels[label] == "walk"
            case Apply(primitive) if primitive.name == "newline":
                self.known.clear()

    def flow(self, names: Sequence[str], targets: Sequence[Target]) -> None:
        found = [self.known.facts.get(name) for name in names]
        for target, number in zip(targets, found, strict=True):
            if target is not None:
                self.known.put(target.name, number)


def constants(body: str) -> Constants:
    """The analysis of a procedure with parameters c, a boolean, and n, an integer."""
    text = f"(define (f c n) {body})\n(f #t 3)\n(f #f 4)\n"
    program: Anf = run_to("to_anf", Job(Source("f.lisp", text), evaluates=False))
    return Constants(next(f for f in program.functions if f.name == "f"))


BRANCHES = [
    ("what both branches yield holds", "(if c 1 1)", 1),
    ("what one yields may not", "(if c 1 2)", None),
    ("where the other is left, it does", '(if c 1 (error "no" c))', 1),
    ("in either order", '(if c (error "no" c) 1)', 1),
    ("and where both ways come from deeper branches", "(if c (if (= n 0) 5 5) 5)", 5),
]


@pytest.mark.parametrize(("value", "known"), [row[1:] for row in BRANCHES], ids=[
    row[0] for row in BRANCHES])
def test_after_branches(value: str, known: int | None) -> None:
    assert constants(f'(let ((a {value})) (print "a" a))').told == {"a": known}


def test_what_one_branch_forgets_is_not_known_after_it() -> None:
    body = """(let ((a (if c 4 4)))
      (if (= n 0) (begin (print "there" a) (newline)) (print "beside" a))
      (print "after" a))"""
    assert constants(body).told == {"there": 4, "beside": 4, "after": None}


def test_unless_it_is_left() -> None:
    body = """(let ((a (if c 4 4)))
      (if (= n 0) (begin (newline) (error "no" a)))
      (print "after" a))"""
    assert constants(body).told == {"after": 4}


LOOP = """(let loop ((i 0) (k 8) (l 9) (n n))
  (print "i" i) (print "k" k) (print "l" l)
  (if (= n 0) 'done (loop {})))"""
LOOPS = [
    ("what each iteration passes on holds", "(if c 0 0) (if c 8 8) 9 (- n 1)", (0, 8, 9)),
    ("what one changes does not", "(+ i 1) (if c 8 8) 9 (- n 1)", (None, 8, 9)),
    ("variables change at once: one becomes the other", "(if c 0 0) l k (- n 1)", (0, None, None)),
]


@pytest.mark.parametrize(("passed", "known"), [row[1:] for row in LOOPS], ids=[
    row[0] for row in LOOPS])
def test_in_loops(passed: str, known: tuple[int | None, ...]) -> None:
    assert tuple(constants(LOOP.format(passed)).told.values()) == known


def test_a_loop_in_a_loop_that_goes_back_to_both() -> None:
    body = """(let loop ((i 0) (j 7) (n n))
      (print "i" i) (print "j" j)
      (let inner ((m 3) (o j))
        (print "m" m) (print "o" o)
        (cond ((= n o) (loop (+ i 1) (if c 7 7) (- n 1)))
              ((= n 4) (inner (if c 3 3) 7))
              (else (print "after" j)))))"""
    assert constants(body).told == {"i": None, "j": 7, "m": 3, "o": 7, "after": 7}


def test_what_an_iteration_forgets_is_not_known_where_the_next_one_begins() -> None:
    body = """(let ((a (if c 4 4)))
      (print "before" a)
      (let loop ((n n)) (print "inside" a) (newline) (if (> n 0) (loop (- n 1)))))"""
    assert constants(body).told == {"before": 4, "inside": None}


@pytest.mark.parametrize("depth", [1, 2, 6])
def test_loops_in_loops_are_walked_through_few_times(depth: int) -> None:
    """Not twice for each of the loops around."""
    loops = "".join(f"(let loop{i} ((a{i} 0) (n n)) " for i in range(depth))
    ends = "".join(f"(if (> n {i}) (loop{i} (+ a{i} 1) (- n 1))))" for i in reversed(range(depth)))
    assert constants(f'{loops}(print "walk" n){ends}').walks <= depth + 1
