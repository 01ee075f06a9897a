"""Whose code a function is: the top level and what is copied into a program are the program's."""

import pytest

from lambent.lang.compile.ir.owner import Owner
from lambent.lang.compile.types.effects import masks_interrupts
from lambent.lang.pipeline import compile_source
from lambent.lang.syntax.source import Source

LOOP = "(define n 0) (do () ((< n -1)) (set! n (+ n 1)) (if (> n 9) (set! n 0)))"
FIRST = (
    "(print (guard (e (#t 1)) (raise 'x)))", "(print (sort (list 2 1) <))",
    "(print (call/cc (lambda (k) (k 1))))", "(let/cc k (print 1))",
    "(dynamic-wind list (lambda () (print 1)) list)", "(define-record-type p (q x) q? (x p-x))",
    "(define p (make-parameter 1)) (parameterize ((p 2)) (print (p)))",
    "(for-each (lambda (x) (print x)) '(1 2))", "(time-it (print 1))",
    "(define f (case-lambda ((a) a) ((a b) b))) (print f (f 1))",
)  # fmt: skip


@pytest.mark.parametrize("first", FIRST)
def test_the_top_level_is_the_programs(first: str) -> None:
    anf = compile_source(Source("case.lisp", f"{first}\n{LOOP}"))
    assert anf.main.owner is Owner.PROGRAM
    assert not masks_interrupts(anf.main)
    assert anf.main.span.source.name == "case.lisp"
    for function in anf.functions:
        is_from_library = function.span.source.name.startswith("stdlib/")
        assert function.owner.is_library == is_from_library, function.name


def test_what_restores_the_dynamic_state_masks_interrupts() -> None:
    anf = compile_source(Source("case.lisp", "(define (f) (guard (e (#t 1)) (raise 'x))) (f)"))
    owners = {function.name: function.owner for function in anf.by_name.values()}
    assert owners["%guarded"] is Owner.CONTROL
    assert owners["f"] is Owner.PROGRAM
