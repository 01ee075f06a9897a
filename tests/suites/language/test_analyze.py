"""Analysis: the Core of a text, the errors that it reports, and the warnings before a run."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lambent.lang.compile.units.with_library import with_library
from lambent.lang.core.analyze import analyze
from lambent.lang.core.check.check import check
from lambent.lang.core.denotation import Macro
from lambent.lang.core.ir import Define, Lambda, Namespace, Program
from lambent.lang.core.modules.library import library_names, load_library
from lambent.lang.core.modules.modules import Modules
from lambent.lang.core.scope import SPECIAL_FORMS, Scope
from lambent.lang.core.text import to_text
from lambent.lang.core.traverse import walk
from lambent.lang.errors import LispError, SyntaxFault, render
from lambent.lang.pipeline import program_of, read_source
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from tests.support.paths import ROOT

SMALL_LIBRARY = frozenset({"map", "+", "<", "max", "filter"})


def analyzed(text: str, scope: Scope | None = None) -> Program:
    return analyze(read(Source("t", text)), scope or Modules(SMALL_LIBRARY).program_scope())


def core(text: str, scope: Scope | None = None) -> str:
    """The Core of a text on one line."""
    return " ".join(to_text(analyzed(text, scope)).split())


ROWS = [
    # Names.
    ("5 \"a\" #\\a #t :k #(1 x)", '5 "a" #\\a #t :k #(1 x)'),
    ("car map @", "#%car library:map #%tensor-matmul"),
    ("(define x 1) x", "(define x 1) x"),
    ("t (lambda (t) t)", "#t (lambda _ (t) t)"),
    ("tensor-softmax", "#%tensor-softmax"),
    ("xyzzy", "(unbound xyzzy)"),
    ("(lambda (x) (lambda (x) x))", "(lambda _ (x) (lambda _ (x.2) x.2))"),
    ("(lambda (x.2 x) (lambda (x) x))", "(lambda _ (x.2 x) (lambda _ (x.3) x.3))"),
    ("(define x 1) (lambda (x) x)", "(define x 1) (lambda _ (x.2) x.2)"),
    # Calls.
    ("(car 'a)", "(#%car 'a)"),
    ("(map car '(a))", "(library:map #%car '(a))"),
    ("((lambda (x) x) 1)", "(let* ((x 1)) x)"),
    ("((car f) 1)", "((#%car (unbound f)) 1)"),
    ("(apply max 1 '(2))", "(#%apply library:max 1 '(2))"),
    ("(apply car '(1))", "(#%apply #%car '(1))"),
    ("(log 8)", "(#%log 8 #f)"),
    ("(tensor-relu [1.0])", "(#%tensor-relu (tensor-literal (1) 1.0))"),
    ("(tensor-sum [1] :dim 0)", "(#%tensor-sum (tensor-literal (1) 1) :dim 0)"),
    ("(list :a 1)", "(#%list :a 1)"),
    ("(make-vector 2 :x)", "(#%make-vector 2 :x)"),
    ("(tensor 1 :dtype 'int8)", "(#%tensor 1 'int8 #f #f)"),
    ("(tensor 1 :requires-grad #t)", "(#%tensor 1 #f #t #f)"),
    # Keywords out of order are still evaluated from left to right.
    (
        "(tensor (car 1) :requires-grad (car 2) :dtype (car 3))",
        "(let* ((argument (#%car 1)) (argument.2 (#%car 2)) (argument.3 (#%car 3)))"
        " (#%tensor argument argument.3 argument.2 #f))",
    ),
    # Folded primitives.
    ("(+) (*) (gcd) (lcm)", "0 1 0 1"),
    ("(+ 'a) (* 'a) (- 'a) (/ 'a)", "(#%+ 0 'a) (#%* 1 'a) (#%- 'a) (#%/ 1 'a)"),
    ("(max 'a) (gcd 4)", "(let* ((argument 'a)) (#%max argument argument)) (#%gcd 0 4)"),
    ("(+ 1 2 3) (- 1 2 3)", "(#%+ (#%+ 1 2) 3) (#%- (#%- 1 2) 3)"),
    ("(< 'a)", "(begin (#%< 'a 0) #t)"),
    ("(< 1 2 3 4)", "(if (#%< 1 2) (if (#%< 2 3) (#%< 3 4) #f) #f)"),
    (
        "(< (car 1) 2 (car 3))",
        "(let* ((argument (#%car 1)) (argument.2 (#%car 3)))"
        " (if (#%< argument 2) (#%< 2 argument.2) #f))",
    ),
    ("(map + '(1))", "(library:map library:+ '(1))"),
    ("(max)", "(library:max)"),
    # Definitions and bodies.
    ("(define (f x . r) x)", "(define f (lambda f (x . r) x))"),
    ("(define (f . r) r)", "(define f (lambda f r r))"),
    ("(define f (lambda x x))", "(define f (lambda f x x))"),
    ('(define (f) "doc" 1)', "(define f (lambda f () 1))"),
    ('(define (f) "value")', '(define f (lambda f () "value"))'),
    (
        "(define (f x :dim -1 :k dim . r) k)",
        "(define f (lambda f (x :dim dim :k k . r)"
        " (let* ((dim.2 (if (#%absent? dim) -1 dim)) (k.2 (if (#%absent? k) dim.2 k))) k.2)))",
    ),
    ("(lambda () (define a 1) (define b a) b)", "(lambda _ () (let* ((a 1) (b a)) b))"),
    (
        "(lambda () (define (e n) (o n)) (define m 1) (define (o n) (e m)) (e m))",
        "(lambda _ () (let* ((m 1)) (letrec ((e (lambda e (n) (o n)))"
        " (o (lambda o (n.2) (e m)))) (e m))))",
    ),
    (
        "(lambda () (define (f) x) (define x (f)) x)",
        "(lambda _ () (let* ((x #<absent>)) (letrec ((f (lambda f () (if (#%absent? x)"
        ' (#%error "variable used before its definition: x") x)))) (set! x (f)) x)))',
    ),
    (
        "(lambda () (define (f) 1) (set! f 2) f)",
        "(lambda _ () (let* ((f (lambda f () 1))) (set! f 2) f))",
    ),
    ("(lambda () (begin (define a 1)) (print a) a)", "(lambda _ () (let* ((a 1)) (#%print a) a))"),
    # Binding forms.
    ("(let ((x 1) (y 2)) x y)", "(let* ((x 1) (y 2)) x y)"),
    ("(let ((x 1)) (let ((x x) (y x)) y))", "(let* ((x 1) (x.2 x) (y x)) y)"),
    ("(let* ((x 1) (x x)) x)", "(let* ((x 1) (x.2 x)) x.2)"),
    ("(let () 1)", "1"),
    ("(let ((f (lambda (x) x))) f)", "(let* ((f (lambda f (x) x))) f)"),
    (
        "(letrec ((f (lambda () (g))) (g (lambda () (f)))) f)",
        "(letrec ((f (lambda f () (g))) (g (lambda g () (f)))) f)",
    ),
    ("(letrec* ((a 1) (b a)) b)", "(let* ((a 1) (b a)) b)"),
    (
        "(let loop ((i 0)) (loop (+ i 1)))",
        "(letrec ((loop (lambda loop (i) (loop (#%+ i 1))))) (loop 0))",
    ),
    (
        "(let loop () (set! loop 1))",
        "(let* ((loop #<unspecified>)) (set! loop (lambda loop () (set! loop 1))) (loop))",
    ),
    ("(define x 1) (set! x 2)", "(define x 1) (set! x 2)"),
    ("(set! xyzzy (car 1))", "(let* ((value (#%car 1))) (unbound xyzzy))"),
    # Choices.
    ("(if 1 2) (if 1 2 3)", "(if 1 2 #<unspecified>) (if 1 2 3)"),
    ("(when 1 2 3) (unless 1 2)", "(if 1 (begin 2 3) #<unspecified>) (if 1 #<unspecified> 2)"),
    ("(and) (and 1) (and 1 2 3)", "#t 1 (if 1 (if 2 3 #f) #f)"),
    ("(or) (or 1 2)", "#f (let* ((or 1)) (if or or 2))"),
    ("(or (null? 1) 2)", "(if (#%null? 1) #t 2)"),
    ("(if (or 1 2) 3 4)", "(if (if 1 #t 2) 3 4)"),
    ("(cond (1 2) (else 3 4))", "(if 1 2 (begin 3 4))"),
    ("(cond (1))", "(let* ((test 1)) (if test test #<unspecified>))"),
    ("(cond ((assq 1 x) => cdr) (else 2))",
     "(let* ((test (#%assq 1 (unbound x)))) (if test (#%cdr test) 2))"),
    (
        "(case 1 ((1 a) 2) (else => list))",
        "(let* ((key 1)) (if (if (#%eqv? key 1) #t (#%eqv? key 'a)) 2 (#%list key)))",
    ),
    ("(case 1 (() 2))", "(let* ((key 1)) (if #f 2 #<unspecified>))"),
    ("(assert (= 1 2))", '(if (#%= 1 2) #<unspecified> (#%error "assertion failed: (= 1 2)"))'),
    # Repetition.
    (
        "(do ((i 0 (+ i 1)) (j 1)) ((= i 3) j) (print i))",
        "(letrec ((do (lambda do (i j) (if (#%= i 3) j (begin (#%print i) (do (#%+ i 1) j))))))"
        " (do 0 1))",
    ),
    (
        "(dotimes (i 3) (print i))",
        "(let* ((count 3)) (letrec ((dotimes (lambda dotimes (i) (if (#%< i count)"
        " (begin (#%print i) (dotimes (#%+ i 1))) #<unspecified>)))) (dotimes 0)))",
    ),
    ("(no-grad 1 2) (with-grad (define x 1) x)", "(no-grad 1 2) (with-grad (let* ((x 1)) x))"),
    ("(-> 1 (list 2) car)", "(#%car (#%list 1 2))"),
    # Quotation.
    ("'a '(a . b) '() '#t", "'a '(a . b) '() #t"),
    ("`(1 2) `a `#(1)", "'(1 2) 'a #(1)"),
    ("`(a ,1 b c)", "(#%cons 'a (#%cons 1 '(b c)))"),
    ("`(,@x b)", "(#%append (unbound x) '(b))"),
    ("`(a ,@x)", "(#%cons 'a (unbound x))"),
    ("`(a . ,1)", "(#%cons 'a 1)"),
    ("`#(1 ,2)", "(#%list->vector (#%cons 1 (#%cons 2 '())))"),
    ("`#(,@'(1 2))", "(#%list->vector '(1 2))"),
    ("`(a `(b ,(c)))", "'(a `(b ,(c)))"),
    ("`(a `,,1)", "(#%cons 'a (#%cons (#%cons 'quasiquote (#%cons"
     " (#%cons 'unquote (#%cons 1 '())) '())) '()))"),
    # Tensor expressions.
    ("[] [[] []]", "(tensor-literal (0)) (tensor-literal (2 0))"),
    ("[[1 2] [3 4]]", "(tensor-literal (2 2) 1 2 3 4)"),
    ("[[1] x]", "(tensor-literal (2) (tensor-literal (1) 1) (unbound x))"),
    # What programs define.
    ("(define (if a) a) (if 1)", "(define if (lambda if (a) a)) (if 1)"),
    ("(lambda (if) (if 1))", "(lambda _ (if) (if 1))"),
    ("(define (abs x) x) (abs 1)", "(define abs (lambda abs (x) x)) (abs 1)"),
    ("(define old abs) (define abs 1)", "(define abs #%abs) (define old abs) (define abs 1)"),
    ("(define map (map car '()))", "(define map library:map) (define map (map #%car '()))"),
    (
        "(define (f) (abs 1)) (f) (define (abs x) x)",
        "(define abs #%abs) (define f (lambda f () (abs 1))) (f)"
        " (define abs (lambda abs (x) x))",
    ),
    (
        "(define (f) (abs 1)) (define (abs x) x) (f)",
        "(define f (lambda f () (abs 1))) (define abs (lambda abs (x) x)) (f)",
    ),
    ("(set! car 1) car", "(define car #%car) (set! car 1) car"),
    ("(define (+ a b) a) (+ 1 2)", "(define + (lambda + (a b) a)) (+ 1 2)"),
    ("(begin (define a 1) (begin a))", "(define a 1) a"),
    ("(import (scheme base) (only (scheme write) display))", ""),
]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_core(text: str, expected: str) -> None:
    assert core(text) == expected


FAULTS = [
    ("(if)", "t:1:1: if: expected (if test then [else]), got (if)"),
    ("(let x)", "t:1:1: let: expected (let ((name value) ...) body ...), got (let x)"),
    ("(let ((x)) x)", "t:1:1: let: expected ((name value) ...), got ((x))"),
    ("(let ([x 1]) x)", "t:1:1: let: expected ((name value) ...), got ([x 1])"),
    ("(let ((x 1) (x 2)) x)", "t:1:14: let: x is bound twice"),
    ("(lambda (x x) x)", "t:1:1: the parameter x appears twice"),
    ("(define 5 6)", "t:1:1: define: expected (define name value) or"
     " (define (name parameter ...) body ...), got (define 5 6)"),
    ("(+ 1 (define x 2))", "t:1:6: define: expected at the top level or directly in a body"),
    ("(lambda () (define x 1))", "t:1:12: a body ends in an expression, not in a definition"),
    ("(lambda () (define x 1) (define x 2) x)", "t:1:33: x is defined twice in one body"),
    ("(cond (else 1) (2 3))", "t:1:7: else: expected in the last clause only"),
    ("(print ())", "t:1:8: expected an expression, got ()"),
    ("(car . 1)", "t:1:1: a call cannot end in a dot"),
    ("(map if '())", "t:1:6: if is a special form, not a value"),
    ("'(1 [2])", "t:1:5: a tensor expression cannot be quoted"),
    (",x", "t:1:1: unquote: expected inside a quasiquote"),
    ("[[1 2] [3]]", "t:1:8: ragged tensor literal: expected a row of 2, got a row of 1"),
    ("[[1 x] [y]]", "t:1:8: ragged tensor literal: expected a row of 2, got a row of 1"),
    ("[[1 2] 3]", "t:1:8: ragged tensor literal: expected a row of 2, got a number"),
    ("[1 [2]]", "t:1:4: ragged tensor literal: expected a number, got a row of 1"),
    ("[[[1]] [[1 2]]]", "t:1:8: ragged tensor literal: expected a block of (1 1),"
     " got a block of (1 2)"),
    ("(import (srfi 12345))", "t:1:9: import: unknown library (srfi 12345)"),
    ("(let loop ((i 0)))", "t:1:1: let: expected (let ((name value) ...) body ...),"
     " got (let loop ((i 0)))"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FAULTS)
def test_syntax_errors_have_a_location(text: str, expected: str) -> None:
    with pytest.raises(SyntaxFault) as caught:
        analyzed(text)
    assert render(caught.value).splitlines()[0] == expected


CHECKS = [
    ("(define (f x) x) (f 1)", ""),
    ("(define (f x) x) (f 1 2)", "t:1:18: f: expected 1 argument, got 2"),
    ("(define (f x) x) (set! f car) (f 1 2)", ""),
    ("(define (f x . r) x) (f)", "t:1:22: f: expected at least 1 argument, got 0"),
    ("(define (f x :k 1) x) (f 1 :k)", "t:1:23: f: keyword :k has no value"),
    ("(define (f x :k 1) x) (f 1 :j 2)", "t:1:23: f: unknown keyword :j"),
    ("(define (f x :k 1) x) (f 3 :k 1 :k 2)", "t:1:23: f: keyword :k is given twice"),
    ("(car)", "t:1:1: car: expected 1 argument, got 0"),
    ("(substring \"a\")", "t:1:1: substring: expected 2 to 3 arguments, got 1"),
    ("(let loop ((i 0)) (loop))", "t:1:19: loop: expected 1 argument, got 0"),
    ("(prnt 1)", "t:1:2: unbound variable: prnt (did you mean print?)"),
    ("(lambda (counter) (conuter))", "t:1:20: unbound variable: conuter"
     " (did you mean counter?)"),
    ("xyzzy", "t:1:1: unbound variable: xyzzy"),
    ("xyzzy (lambda () xyzzy)", "t:1:1: unbound variable: xyzzy (2 uses in all)"),
    ("(prnt 1) (prnt 2)", "t:1:2: unbound variable: prnt (did you mean print? (2 uses in all))"),
    ("(xyzzy foo (car))", "t:1:2: unbound variable: xyzzy\nt:1:8: unbound variable: foo\n"
     "t:1:12: car: expected 1 argument, got 0"),
    # Arguments that may be keywords.
    ("(define (f x :k 1) x) (define (g a b) (f 1 a b))", ""),
    ("(define (f x :k 1) x) (f 1 2)", "t:1:23: f: expected 1 argument, got 2"),
    # Values that are not used.
    ("(define (f a) (+ a 1) (print a))", "t:1:15: the value of (+ a 1) is not used"),
    ("(define (f a) (tensor-exp a :out a) (print a))", ""),
    ("(define (f) (set! missing 4))", "t:1:19: unbound variable: missing"),
    ("(define (f a) \"Doc.\" 5 (car a) (print a))", "t:1:22: the value of 5 is not used\n"
     "t:1:24: the value of (car a) is not used"),
    ("(when 1 (list->vector\n 2) (print a) (set! a 1))\n(define a 1)",
     "t:1:9: the value of this is not used"),
    ("(define (f a) (guard (e (#t 1)) (car a) (list a) 2))",
     "t:1:41: the value of (list a) is not used"),
    ("(define (f a) (vector-set! a 0 1) (display a) (f a) (if a (f a)) (f 1))", ""),
    ("(define (f a) (assert (> a 1)) (case a ((1) 2) (else (f a))) (do () ((f a)) (f a)) a)", ""),
    ("(define-syntax both (syntax-rules () ((_ a) (begin 1 a)))) (define (f) (both 2))", ""),
    ("(+ 1 2) (car '(1)) 3", ""),
    # Unreachable code.
    ("(define (f a) (error \"no\" a) (print a) (print 2))",
     "t:1:30: never reached: error does not return"),
    ("(print 1) (exit) (print 2)", "t:1:18: never reached: exit does not return"),
    ("(define (f) (g) (exit 2)) (define (g) (if 1 (raise 'x)) 2) (f)", ""),
    ("(if #f (print 1) (print 2))", "t:1:8: never reached: the test is always false"),
    ("(if 0 (print 1) (print 2))", "t:1:17: never reached: the test is always true"),
    ("(when #f (print 1) (print 2))", "t:1:10: never reached: the test is always false"),
    ("(cond (#t (print 1)) ((f) (print 2)))", "t:1:22: never reached: the test is always true\n"
     "t:1:24: unbound variable: f"),
    ("(if #f #f) (cond (t 1)) (and #t (print 1)) (define (g) (do () (#f) (print 1)))", ""),
    # Names that are defined twice.
    ("(define (f) 1)\n(define (f) 2)", "t:2:1: f is defined twice; first at t:1:1"),
    ("(define (f) 1) (define (g) (f))\n(define (f) 2) (f)",
     "t:2:1: f is defined twice; first at t:1:1"),
    ("(define x 1) (print x) (define x 2) (define x (+ x 1)) (set! x 3) (define x 4)", ""),
    ("(define (car x) x) (define (f) 1) (print (f)) (define (f) 2)", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CHECKS)
def test_checks(text: str, expected: str) -> None:
    assert "\n".join(map(str, check(analyzed(text)))) == expected


def test_names_of_earlier_entries_are_globals() -> None:
    scope = Scope(SMALL_LIBRARY)
    analyzed("(define (abs x) x)", scope)
    assert core("(abs 1)", scope) == "(abs 1)"
    assert core("(define (abs x) x)", scope) == "(define abs (lambda abs (x) x))"


def test_macros_of_the_library_are_ambient() -> None:
    library = Scope(namespace=Namespace.LIBRARY)
    text = "(define (map f l) l) (define-syntax each (syntax-rules () ((_ f l) (map f l))))"
    analyze(read(Source("library", text, library=True)), library)
    each = library.names["each"]
    assert isinstance(each, Macro)
    scope = Scope(frozenset({"map"}), macros={"each": each})
    assert core("(let ((map car)) (each map '()))", scope) == (
        "(let* ((map #%car)) (library:map map '()))"
    )
    # Messages do not show their names.
    with pytest.raises(SyntaxFault) as caught:
        analyzed("(each)", scope)
    assert "expansion" not in render(caught.value)


def test_a_program_gets_what_it_reaches_of_the_library() -> None:
    scope = Scope(library_names())
    program = with_library(analyzed("(print (sort '() <) (parameterize ((p 1)) (p)))", scope))
    assert "sort" in program.externals.heads and "assoc" not in program.externals.heads
    defined = [form.name for form in program.forms if isinstance(form, Define)]
    assert "%handlers" in defined  # which code reaches that restores parameters
    assert not program.tensors
    alone = with_library(analyzed("(car '(1))", scope))
    assert alone.forms == analyzed("(car '(1))", scope).forms
    assert not alone.externals.heads


def test_local_names_are_unique_in_a_program_and_copies_of_the_library() -> None:
    text = "(define (f x) (let ((x.lib x)) (map car x)))(print (f '((1))))"
    program = with_library(analyzed(text, Scope(library_names())))
    assert "map" in program.externals.copies
    bound = [
        name
        for form in (*program.forms, *program.externals.copies.values())
        for node in walk(form)
        if isinstance(node, Lambda)
        for name in (*node.parameters, *[k.name for k in node.keywords], node.rest)
        if name is not None
    ]
    assert len(bound) == len(set(bound))


def test_library_passes_the_checks() -> None:
    assert check(load_library()) == []


PROGRAMS = sorted(
    path
    for folder in ("examples", "tests/programs", "tests/programs/r7rs", "tests/errors")
    for path in (ROOT / folder).glob("*.lisp")
)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_no_false_alarms(path: Path) -> None:
    """Every warning is about an error that the program's text expects; examples have none."""
    try:
        found = check(program_of(read_source(str(path))))
    except LispError:
        return
    if path.parent.name == "examples":
        assert found == []
    text = path.read_text()
    wrong = [d for d in found if "expected" in d.message or "unbound" in d.message]
    assert [str(d) for d in wrong if d.message not in text] == []


DEEP = 10_000


@pytest.mark.parametrize(
    ("opening", "inner", "closing"),
    [("(car ", "1", ")"), ("(if 1 ", "2", ")"), ("(let ((x 1)) ", "x", ")"), ("'", "a", ""),
     ("`(a ", ",x", ")"), ("[", "", "]"), ("(lambda (x) ", "x", ")")],
)  # fmt: skip
def test_deep_nesting(opening: str, inner: str, closing: str) -> None:
    if inner == "2":
        inner = "(if 1 2)"
    text = opening * DEEP + inner + closing * DEEP
    try:
        assert analyzed(text).forms
    except LispError as error:
        assert isinstance(error, SyntaxFault)


_WORDS = st.sampled_from(
    [*SPECIAL_FORMS, "else", "=>", "...", "***", "_", "?", "$", "import", "f", "x", "+", "<",
     "tensor"]
)
_TEXTS = st.recursive(
    _WORDS | st.sampled_from(["1", "'a", ":k", "()", '"s"', "[1]", ". x"]),
    lambda inner: st.lists(inner, max_size=5).map(lambda parts: f"({' '.join(parts)})")
    | st.lists(inner, max_size=3).map(lambda parts: f"[{' '.join(parts)}]"),
    max_leaves=20,
)


# A deadline would count the collector's pauses, which are long after many tests.
@settings(deadline=None)
@given(_TEXTS)
def test_any_text_is_analysed_or_is_a_lisp_error(text: str) -> None:
    try:
        to_text(analyzed(text))
    except LispError as error:
        render(error)
