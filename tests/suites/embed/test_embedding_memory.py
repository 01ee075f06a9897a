"""Embedded calls do not leak: many calls of each kind run, and the number of objects is constant.

The test counts the blocks of Python's memory, the elements of every container that a module of
Lambent or a function's cache holds, the global variables of the session, and tensors.
"""

import copy
import gc
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lambent
import tests.support.needs_libtorch  # noqa: F401 - skips this module where there is none
from lambent.lang.interp import unit_lifetime

TIMES = 20

SESSION = lambent.Session()
DEFINED = SESSION.eval("(define (twice x) (+ x x)) (define (fail x) (car x)) twice")
ARRAY = np.ones(4, dtype="float32")


def failing(text: str, **variables: Any) -> None:
    with pytest.raises(lambent.LispError) as caught:
        SESSION.eval(text, **variables)
    assert str(caught.value)


def leaving() -> None:
    with pytest.raises(SystemExit):
        SESSION.eval("(exit 3)")


def raising(_: object) -> None:
    raise KeyError("gone")


def redefined() -> None:
    SESSION.define("here", [1, 2])
    SESSION.eval("(define (again x) (lambda (y) (list x y here)))")


def records() -> None:
    """A session keeps the record types that it defines, but not those of freed procedures."""
    text = "(let () (define-record-type point (make-point x) point? (x point-x)) (make-point 1))"
    assert repr(SESSION.eval(text)) == "#<point x: 1>"


def defined_macros() -> None:
    SESSION.eval("(define-syntax swap (syntax-rules () ((_ a b) (list b a)))) (swap 1 2)")
    SESSION.eval("(defmacro inc (x) (list '+ x 1)) (inc 2)")


def escaping() -> None:
    assert SESSION.eval("(+ 1 (call/cc (lambda (k) (f k) 5)))", f=lambda k: k(41)) == 42


def own_session() -> None:
    session = lambent.Session()
    session.eval("(define x (tensor '(1.0 2.0))) (define (f) (g)) (define (g) x) (f)")
    session.eval("(map tensor-exp (list x))")
    session.eval("(lambda () x)")()


KINDS: dict[str, Callable[[], object]] = {
    "a number": lambda: SESSION.eval("(+ 1 2)"),
    "a name": lambda: SESSION.eval("(+ x 1)", x=2),
    "names": lambda: SESSION.eval("(list a-b c)", {"a-b": [1, {"k": (2,)}], "c": "text"}),
    "a procedure made": lambda: SESSION.eval("(lambda (x) (lambda (y) (+ x y)))"),
    "a procedure called": lambda: DEFINED(21),
    "a made one called": lambda: SESSION.eval("(lambda (x) (lambda (y) (twice y)))")(1)(2),
    "a loop": lambda: SESSION.eval("(let loop ((i 0)) (if (< i 9) (loop (+ i 1)) i))"),
    "a callback": lambda: SESSION.eval("(map f '(1 2))", f=lambda x: x + 1),
    "a callback that evaluates": lambda: SESSION.eval(
        "(f (lambda (x) (+ x 1)))", f=lambda g: g(SESSION.eval("(+ x 1)", x=1))
    ),
    "an object": lambda: SESSION.eval("(cdr x)", x=SESSION.eval("(cons 1 twice)")),
    "a copy": lambda: copy.deepcopy(SESSION.eval("'(1 . 2)")),
    "an error": lambda: failing("(car 5)"),
    "an error with names": lambda: failing("(fail x)", x=5),
    "an error in a procedure": lambda: failing("((lambda (x) (fail (twice x))) 4)"),
    "an error in a tail call": lambda: failing("(define (g) (twice 'a)) ((lambda () (g)))"),
    "a raised value": lambda: failing("(raise (list 1 (lambda () 2)))"),
    "a caught error": lambda: SESSION.eval("(guard (e (#t (error-object-message e))) (car 5))"),
    "a callback's error": lambda: failing("(f 1)", f=raising),
    "a syntax error": lambda: failing("(+ 1"),
    "a bad form": lambda: failing("(lambda)"),
    "an unbound variable": lambda: failing("(lambda () nowhere) nowhere"),
    "a value without counterpart": lambda: failing("x", x=1j),
    "exit": leaving,
    "definitions": redefined,
    "macros": defined_macros,
    "records": records,
    "an escape": escaping,
    "eval in eval": lambda: SESSION.eval("(eval '(let ((f (lambda (x) x))) (f 1)))"),
    "eval of an object": lambda: SESSION.eval("(eval (list f ''(1)))", f=lambda x: x),
    "eval of a tensor": lambda: SESSION.eval("(eval (list 'tensor-shape x))", x=ARRAY),
    "eval of a procedure": lambda: SESSION.eval("((eval (list 'lambda '() (list f 4))))",
                                                f=DEFINED),
    "environments": lambda: SESSION.eval("(eval '(+ 1 2) (environment '(scheme base)))"),
    "a shared array": lambda: SESSION.eval("(tensor-sum x)", x=ARRAY).numpy(),
    "a tensor": lambda: SESSION.eval("(tensor '(1.0 2.0))").tolist(),
    "operators as values": lambda: SESSION.eval("(map tensor-exp (list x))", x=ARRAY),
    "an error of tensors": lambda: failing("(@ x [1.0 2.0])", x=ARRAY),
    "a gradient": lambda: SESSION.eval("((grad (lambda (x) (tensor-sum (* x x)))) x)", x=ARRAY),
    "a string port": lambda: SESSION.eval('(call-with-output-string (lambda (p) (write 1 p)))'),
    "hash tables": lambda: SESSION.eval("(hash-ref t \"a\")", t={"a": 1}),
    "a session": own_session,
}


def containers() -> dict[str, int]:
    """The sizes of all containers that Lambent's modules hold, and of all caches of functions."""
    found: dict[str, int] = {}
    for name, module in sorted(sys.modules.items()):
        if not name.startswith("lambent"):
            continue
        for attribute, value in list(vars(module).items()):
            where = f"{name}.{attribute}"
            if attribute.startswith("__"):
                continue
            if hasattr(value, "cache_info"):
                found[where] = value.cache_info().currsize
            elif isinstance(value, list | dict | set | deque):
                found[where] = len(value)
            elif isinstance(value, type):
                held = vars(value).items()
                found |= {f"{where}.{k}": len(v) for k, v in held if isinstance(v, list | dict)}
    return found


def alive() -> dict[str, int]:
    gc.collect()
    found = {"blocks of memory": sys.getallocatedblocks()}
    found |= {f"container {name}": size for name, size in containers().items()}
    found["globals"] = len(SESSION._machine.globals)
    found["handles"] = lambent.eval("(cdr (assq 'live-handles (tensor-memory)))")
    return found


def grown(kind: Callable[[], object]) -> dict[str, int]:
    """The counts that grow with each call, in each of three series of calls.

    A dictionary that resizes, or a cache that fills, does so in only one of them.
    """
    windows: list[dict[str, int]] = []
    for _ in range(3):
        before = alive()
        for _ in range(TIMES):
            kind()
        now = alive()
        now["blocks of memory"] -= len(before)  # the blocks that hold the counts
        windows.append({name: count - before.get(name, 0) for name, count in now.items()})
    least = {name: min(window.get(name, 0) for window in windows) for name in windows[0]}
    return {name: count for name, count in least.items() if count >= 0.9 * TIMES}


@pytest.fixture(scope="module", autouse=True)
def _collect_only_what_is_new() -> Iterator[None]:
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _keep_few_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_lifetime, "_KEPT", 2)


@pytest.mark.parametrize("kind", KINDS)
def test_repeated_use_does_not_grow(kind: str) -> None:
    for _ in range(TIMES):  # caches fill
        KINDS[kind]()
    assert grown(KINDS[kind]) == {}


def test_deleting_a_session_frees_everything() -> None:
    session = lambent.Session()
    machine = weakref.ref(session._machine)
    held = session.eval("(define x (tensor '(1.0))) (lambda () x)")
    del session
    gc.collect()
    assert machine() is not None
    assert held().tolist() == [1.0]
    del held
    gc.collect()
    assert machine() is None


def test_sessions_tell_their_errors_apart() -> None:
    """All sessions keep their units in one table."""
    first, second = lambent.Session(), lambent.Session()
    one = first.eval("(define (one x)\n  (car x)) one")
    second.eval("(define (two x) (list x (list x (cdr (list (vector-ref (vector x) 0))))))")
    second.eval("(define (three x) x)")
    with pytest.raises(lambent.LispError, match=r"python:2:3: car: expected a pair, got 5"):
        one(5)


def test_trace_shows_tail_calls_of_freed_procedures() -> None:
    with pytest.raises(lambent.LispError) as caught:
        SESSION.eval("(define (broken) (+ 1 (car 5)))\n((eval '(lambda () (broken))))")
    assert "car: expected a pair" in str(caught.value)


def test_an_error_raised_again_later_has_its_location() -> None:
    text = """
    (define kept #f)
    (guard (e ((begin (set! kept e) #f) 1) (#t 2)) (eval '(car 5)))"""
    assert SESSION.eval(text) == 2
    for _ in range(3 * TIMES):
        SESSION.eval("(lambda () 1)")
    failing("(raise kept)")
