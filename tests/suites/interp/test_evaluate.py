"""The evaluator, beyond program tests: emitted Python, an open world, the cache."""

import inspect
import marshal
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lambent.lang.core.analyze import analyze
from lambent.lang.errors import render
from lambent.lang.interp.builtins import find
from lambent.lang.interp.emit.evaluate import evaluate
from lambent.lang.interp.emit.unit import CodeUnit
from lambent.lang.interp.errors.trace import translate
from lambent.lang.interp.repl.session import Session
from lambent.lang.interp.run import new_machine, program_modules
from lambent.lang.interp.values.values import TAIL
from lambent.lang.primitives.library import TABLE
from lambent.lang.primitives.table import Primitive
from lambent.lang.syntax.reader import read
from lambent.lang.syntax.source import Source
from tests.support.programs_run import prepare_cache

MACHINE = new_machine()


def unit_of(text: str, closed: bool = True) -> CodeUnit:
    program = analyze(read(Source("t.lisp", text)), program_modules(MACHINE).program_scope())
    return evaluate(
        program, "test", closed=closed, library=MACHINE.library.trampolined, keep_result=True
    )


def check(text: str, expected: str) -> None:
    """Evaluate an entry in a session; it must print the expected text, or fail with it."""
    shown: list[str] = []
    session = Session(shown.append)
    try:
        session.evaluate(Source("t.lisp", text))
    except Exception as error:
        shown.append(render(translate(error)).splitlines()[0])
    assert "\n".join(shown) == expected


ROWS = [
    # A later definition replaces an earlier one, also for calls within a running procedure.
    ("(define (f n) (if (= n 0) 'old (f (- n 1)))) (define g f) (define (f n) 'new) (g 3)", "new"),
    ("(define (abs x) 'mine) (abs -1)", "mine"),
    # Tail calls need no stack, whatever they call.
    ("(define (loop n) (if (= n 0) 'done (loop (- n 1)))) (loop 300000)", "done"),
    ("(define (ev n) (if (= n 0) #t (od (- n 1)))) (define (od n) (if (= n 0) #f (ev (- n 1))))"
     " (ev 300001)", "#f"),
    ("(define (f n k) (if (= n 0) (k 'end) (f (- n 1) (lambda (x) (k x))))) (f 100000 list)",
     "(end)"),
    ("(let loop ((n 100000)) (if (= n 0) 'applied (apply loop (list (- n 1)))))", "applied"),
    ("((lambda (f) (f f 100000)) (lambda (f n) (if (= n 0) 'self (f f (- n 1)))))", "self"),
    # Each iteration of a loop has its own variables.
    ("(define (make) (let loop ((i 0) (fs '())) (if (= i 3) fs"
     " (loop (+ i 1) (cons (lambda () i) fs))))) (map (lambda (f) (f)) (make))", "(2 1 0)"),
    ("(define (make n) (let loop ((i 0) (fs '())) (if (= i n) fs (let ((j (* i i)))"
     " (loop (+ i 1) (cons (lambda () (set! j (+ j 1)) j) fs)))))) (map (lambda (f) (f)) (make 3))",
     "(5 2 1)"),
    # Arguments go left to right, also where a later one is a Python statement.
    ("(define x 1) (list x (begin (set! x 2) x) x)", "(1 2 2)"),
    ("(define l '()) (define (note x) (set! l (cons x l)) x)"
     " (list (note 1) (let loop ((i 0)) (if (= i 2) (note 2) (loop (+ i 1)))) (note 3)) l",
     "(1 2 3)\n(3 2 1)"),
    # Lisp names that mean something to Python, or to the evaluator.
    ("(let ((None 1) (TAIL 2) (= 5)) (list None TAIL =))", "(1 2 5)"),
    ("(define |p:x| 1) (let ((None 1) (drive 2) (__debug__ 3) (|l:map| 4) (|a b| 5))"
     " (list |p:x| None drive __debug__ |l:map| |a b|))", "(1 1 2 3 4 5)"),
    # Python's own rules do not show.
    ("(+ #t 1)", "t.lisp:1:1: +: expected a number, got #t"),
    ("(< 1 'a)", "t.lisp:1:1: <: expected a number, got a"),
    ("(>= 'a 'b)", "t.lisp:1:1: >=: expected a number, got a"),
    ("(= car car)", "t.lisp:1:1: =: expected a number, got a procedure"),
    ("(- car)", "t.lisp:1:1: -: expected a number, got a procedure"),
    ("(* 2 car)", "t.lisp:1:1: *: expected a number, got a procedure"),
    ("(if (= +nan.0 +nan.0) 1 2)", "2"),
    ("(+ 1/2 1/2) (* 2 1/2 3) (- 1/2 0.5)", "1\n3\n0.0"),
    ("(eq? 100000000000000000000 100000000000000000000)", "#t"),
    # Wrong calls.
    ("(define (f x) x) (f 1 2)", "t.lisp:1:18: f: expected 1 argument, got 2"),
    ("((car (list 5)) 1)", "t.lisp:1:1: not a procedure: 5"),
    ("(define (f g) (g)) (f 'a)", "t.lisp:1:15: not a procedure: a"),
    ("(apply car '(1 2))", "t.lisp:1:1: car: expected 1 argument, got 2"),
    ("(map apply (list 5) '((1)))", "t.lisp:1:1: not a procedure: 5"),
    ("(apply 5 '())", "t.lisp:1:1: not a procedure: 5"),
    ("(apply + 1)", "t.lisp:1:1: apply: expected a list, got 1"),
    ("(define (f :k 1) k) (f :k)", "t.lisp:1:21: f: keyword :k has no value"),
    ("(define (f :k 1) k) (define (g) (f 2)) (g)",
     "t.lisp:1:33: f: expected 0 arguments, got 1"),
    ("(map car 5)", "t.lisp:1:1: map: expected a list, got 5"),
    ("later", "t.lisp:1:1: unbound variable: later"),
    ("(error \"no\" 'a \"b\")", 't.lisp:1:1: no a "b"'),
    ("(vector-ref (vector 1 2) 2)", "t.lisp:1:1: vector-ref: index 2 is out of range for length 2"),
    ("(define (f n) (+ 1 (f n))) (f 1)", "t.lisp:1:20: recursion is too deep"),
    # Truth values.
    ("(if (and 1 (or #f 2)) 'yes 'no) (if (not (and #t #f)) 'yes 'no)", "yes\nyes"),
    ("(let ((x (or #f (let loop ((i 0)) (if (= i 3) i (loop (+ i 1))))))) x)", "3"),
]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_entry(text: str, expected: str) -> None:
    check(text, expected)


@pytest.mark.parametrize("primitive", TABLE.values(), ids=lambda p: p.symbol)
def test_every_primitive_has_its_function(primitive: Primitive) -> None:
    if not primitive.symbol.startswith(("rt_", "bridge_", "ct_")):
        return  # an operator of LibTorch
    function = find(primitive.symbol)
    assert function is not None, primitive.symbol
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind is not p.VAR_POSITIONAL]
    assert len(positional) == len(primitive.signature.params), primitive.name
    has_rest = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    assert has_rest == (primitive.signature.rest is not None), primitive.name
    optional = [p.default is not p.empty for p in positional]
    assert optional == [p.default is not None for p in primitive.signature.params], primitive.name


def test_only_cycles_of_tail_calls_use_the_trampoline() -> None:
    unit = unit_of(
        "(define (f x) (if (> x 0) (g x) (f (+ x 1))))"
        "(define (g x) (car (list x)))"
        "(define (h k) (k 1))"
        "(define (i x) (h car))"
    )
    assert unit.trampolined == {"p:f": False, "p:g": False, "p:h": True, "p:i": True}


def test_tail_marker_never_escapes() -> None:
    unit = unit_of("(define (f k) (k 1)) (let ((x (f list))) x)", closed=False)
    assert MACHINE.run(unit) is not TAIL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a cache that holds the library: analysing it takes seconds."""
    prepare_cache(tmp_path / "cache")
    return tmp_path


def run_lambent(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with the folder's cache, and a folder for temporary files in it."""
    return subprocess.run(
        [sys.executable, "-m", "lambent.lang", *arguments],
        env={**os.environ, "LAMBENT_CACHE": str(folder / "cache"), "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
    )


def test_warm_start_neither_reads_nor_analyses(folder: Path) -> None:
    (folder / "hello.lisp").write_text('(print "hello")\n')
    cold = run_lambent("hello.lisp", folder=folder)
    warm = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "lambent.lang", "hello.lisp"],
        env={**os.environ, "LAMBENT_CACHE": str(folder / "cache")},
        cwd=folder, capture_output=True, text=True, timeout=120,
    )
    assert (cold.stdout, warm.stdout) == ("hello\n", "hello\n")
    for module in ("lark", "lambent.lang.core", "lambent.lang.primitives", "argparse", "ctypes",
                   "lambent.lang.interp.emit.emit", "lambent.ctorch", "fractions"):
        assert f"| {module}" not in " ".join(warm.stderr.split()), module


def test_errors_of_a_warm_start_are_the_same(folder: Path) -> None:
    (folder / "bad.lisp").write_text("(define (f x) (+ 1 (car x)))\n(f 5)\n")
    cold = run_lambent("bad.lisp", folder=folder)
    (folder / "bad.lisp").rename(folder / "other.lisp")
    warm = run_lambent("other.lisp", folder=folder)
    assert cold.returncode == warm.returncode == 70
    assert warm.stderr == cold.stderr.replace("bad.lisp", "other.lisp")
    assert "  in f, called at bad.lisp:2:1" in cold.stderr


def test_damaged_cache_files_are_ignored(folder: Path) -> None:
    """The library's file is damaged by `test_damaged_script_cache_is_rebuilt`."""
    (folder / "hello.lisp").write_text('(print "hello")\n')
    [library] = (folder / "cache/units").iterdir()
    run_lambent("hello.lisp", folder=folder)
    [path] = {*(folder / "cache/units").iterdir()} - {library}
    whole = path.read_bytes()
    middle = len(whole) // 2
    for damage in (
        b"", b"junk", marshal.dumps((1, 2)), whole[:-1], whole[:middle], bytes(len(whole)),
        whole[:middle] + bytes(16) + whole[middle + 16:],
    ):  # fmt: skip
        path.write_bytes(damage)
        done = run_lambent("hello.lisp", folder=folder)
        said = f"lambent: a file of the cache is damaged, and is made again: {path}\n"
        assert (done.stdout, done.stderr, path.read_bytes()) == ("hello\n", said, whole)


def test_missing_cache_folder_is_not_an_error(folder: Path) -> None:
    (folder / "cache").rename(folder / f"lambent-{os.getuid()}")  # which takes its place
    (folder / "cache").write_text("a file, not a folder")
    (folder / "hello.lisp").write_text('(print "hello")\n')
    done = run_lambent("hello.lisp", folder=folder)
    assert (done.stdout, done.stderr, done.returncode) == ("hello\n", "", 0)


def test_missing_file(folder: Path) -> None:
    done = run_lambent("none.lisp", folder=folder)
    assert (done.stderr, done.returncode) == ("cannot open none.lisp: No such file or directory\n",
                                              66)


@pytest.mark.parametrize(("text", "status"), [("(exit)", 0), ("(exit 7)", 7), ("(exit #f)", 1)])
def test_exit(folder: Path, text: str, status: int) -> None:
    done = run_lambent("-e", f"(begin (display 1) {text})", folder=folder)
    assert (done.stdout, done.stderr, done.returncode) == ("1", "", status)


def test_arguments(folder: Path) -> None:
    (folder / "a.lisp").write_text("(write (command-line))")
    assert run_lambent("a.lisp", "x", "-y", folder=folder).stdout == '("a.lisp" "x" "-y")'


def test_interrupt_ends_a_script(tmp_path: Path) -> None:
    import signal

    (tmp_path / "forever.lisp").write_text(
        "(print 1) (flush-output) (define (f n) (if n (f n) 0)) (f 1)"
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "lambent.lang", "forever.lisp"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "1\n"
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert (errors, running.returncode) == ("", 130)
