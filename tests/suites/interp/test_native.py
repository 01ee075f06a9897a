"""The interpreter's C module and its other second definitions, beside those in Lisp and Python.

Both run the same random programs: `LAMBENT_NATIVE=off` leaves only the definitions in Lisp and
Python.  Every form of a program is a call with arguments of all kinds; procedures among them fail,
escape, take the wrong number of arguments, and change the list that is being walked.
"""

import operator
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import lambent
from lambent.lang.interp import native
from lambent.lang.interp.builtins.ports import open_input_file, open_input_string
from lambent.lang.interp.native.csv_text import csv_rows
from lambent.lang.interp.values.values import FALSE, NIL, Port, String
from tests.support.programs_run import prepare_cache

LAMBENT = [sys.executable, "-m", "lambent.lang"]
FORMS = 200
HANG = 600  # seconds

PRELUDE = """\
(import (srfi 113) (srfi 128) (srfi 146) (srfi 146 hash))
(define escape #f)
(define shared '())
(define ring '())
(define left 0)
(define table #f)
(define (tick! x)
  (set! left (- left 1))
  (if (< left 0) (escape 'too-often) x))
(define place (make-parameter 0))
(define (new-values!)
  (set! left 60)
  (set! shared (list 3 1 2 5 4))
  (set! ring (list 1 2 3))
  (set-cdr! (cddr ring) ring)
  (set! table (hash-table 'a 1 "b" 2 3 'c 1.5 "d" '(1) 4)))
(define (report thunk)
  (new-values!)
  (let ((result (guard (e ((error-object? e)
                           (list 'error (error-object-message e)
                                 (error-object-irritants e)))
                          (#t (list 'raised e)))
                  (call/cc (lambda (k) (set! escape k) (thunk))))))
    (write (list left shared (hash->list table) result))
    (newline)))
(define-syntax check (syntax-rules () ((_ form) (report (lambda () form)))))
(define (again f . arguments) (apply f arguments))
(define default (make-default-comparator))
(define (in-sets one other)
  (let ((a (list->set default one)) (b (list->set default other)))
    (map set->list (list (set-union a b) (set-intersection a b) (set-difference a b)))))
(define (in-maps keys value)
  (let loop ((m (mapping default)) (h (hashmap default)) (left keys))
    (if (pair? left)
        (loop (mapping-set m (car left) value) (hashmap-set h (car left) value) (cdr left))
        (list (mapping->alist m) (hashmap->alist h) (mapping-ref/default m value 'none)))))
"""

ATOMS = ["0", "1", "-3", "2", "2.5", "-0.0", "+nan.0", "1/2", "12345678901234567890", '"b"', '""',
         '"a-b-c"', "'a", "'b", "#t", "#f", "#\\a", "#\\-", "'()", "(if #f #f)", "car", "table"]
LISTS = ["'(1 2 3)", "'(3 1 2 2 9 8 7 6 5 4 0 11 10)", "'(1 2 . 3)", "'(a b c)", "'(\"x\" \"y\")",
         "'((a . 1) (b . 2) (\"b\" . 3) (2.5 . 4))", "'((a . 1) 5)", "shared", "(list 1.5 2 0.5)",
         "'(1 a 2)", "(cons 1 2)", "(iota 200)", "(list '(1) '(2))", "'(#f #t #f 1)"]
VECTORS = ["#(1 2 3)", "#()", "(vector 3 2 1)"]
PROCEDURES = [
    "(lambda (x) (tick! (list x)))", "(lambda (x) (tick! (* x 2)))", "(lambda (x) (tick! (< x 2)))",
    "(lambda (a b) (tick! (list a b)))", "(lambda (a b) (tick! (< a b)))",
    "(lambda (a b) (tick! (+ a b)))", "(lambda x (tick! x))", "(lambda (a b c) (tick! a))",
    "(lambda (x) (tick! 1) (raise x))", "(lambda (x) (escape (list 'out x)))",
    "(lambda (x) (tick! 1) (set-cdr! shared '()) x)",
    "(lambda (x) (tick! 1) (set-car! shared 'changed) #t)",
    "(lambda (x) (tick! 1) (set-cdr! shared 7) #f)",
    "(lambda (x) (tick! 1) (set-cdr! shared (list 8 9)) x)",
    "(lambda (x) (tick! 1) (hash-set! table x x) #t)",
    "(lambda (x) (tick! (again car x)))", "(lambda (x) (parameterize ((place x)) (tick! (place))))",
    "(lambda (x) (call/cc (lambda (k) (tick! (k x)))))",
    "(lambda (x :by 2) (tick! (* x by)))", "(lambda () 1)", "5", "'a", "+", "<", ">", "=", "-",
    "car", "cons", "list", "string<?", "number->string", "escape", "again",
]
THUNKS = [
    "(lambda () (tick! 1))", "(lambda () (tick! (list 1 2)))", "(lambda () (tick! 1) (raise 'a))",
    "(lambda () (tick! 1) (car 5))", "(lambda () (escape 'out))", "(lambda x (tick! x))",
    "(lambda (x) x)", "(lambda () (tick! 1) (again car 1 2))", "(lambda () (again again car '(1)))",
    "(lambda () (with-exception-handler (lambda (e) (escape (tick! 2))) (lambda () (car 5))))",
]
RECEIVERS = [
    "(lambda (k) (tick! (k 1)))", "(lambda (k) (k 1 2))", "(lambda (k) (set! escape k) (k 3))",
    "(lambda (k) (again k 4))", "(lambda (k) (raise 'a))", "(lambda (k) (car 5))",
    "(lambda (k) (dynamic-wind (lambda () 1) (lambda () (k 5)) (lambda () (tick! 1))))",
    "(lambda (k) (with-exception-handler (lambda (e) (k (list 'by e))) (lambda () (car 5))))",
    "(lambda (k) (call/cc (lambda (inner) (k 6))))", "(lambda (k) k)", "escape", "(lambda () 1)",
]
CLAUSES = [
    "(e ((symbol? e) (list 'symbol e)))", "(e (#t e))", "(e (#t 'any))", "(e ((pair? e) => list))",
    "(e ((error-object? e) (list (error-object-message e) (error-object-irritants e))))",
]
NUMERALS = ['"0"', '"12"', '"007"', '"-5"', '"+5"', '"1.5"', '""', '"a"', '"1/2"', '"\u0661"',
            '"12 "', f'"{"9" * 18}"', f'"{"9" * 19}"', "5", "'a"]
TEMPLATES = ["~a", "x~sy", "~d|~a", "~,2f", "~5d~%", "~10a|", "~6,1f~~", "100%~a", "~q", "~",
             "~&~a", "~x", "~A ~D", "~,f", "~5,'*d"]
# The texts within strings.
JSON = [
    text.replace("\\", "\\\\").replace('"', '\\"')
    for text in (
        r'[1, 2.5e3, -0, "a\n\u00e9"]', '{"a": {"b": null}, "a": true}', "[1,]", "[01]", '{"a" 1}',
        r'"\ud83d\ude00"', r'"\ud83d"', " [ ] ", "", "1 2", "nul", "1" * 45, "1e999", "[ 1, x]",
        "-", "1.", r'"\q"', r'"\u00e"', '"a', "[\n\n1, x]", "[[[[]]]]", "[true, false]", '"\t"',
        r'"\ud83dx"', r'"a\n\ud83d\n"', r'"\ude00"', r'"a\u12"',
        '{"a": 1 "b"', "{1", "truex", '"a\\',
        "1" * 40 + "." + "2" * 400, "-" + "1" * 39 + "e+" + "0" * 400 + "5", "9" * 41,
    )
]  # fmt: skip


def _calls() -> st.SearchStrategy[str]:
    list_ = st.sampled_from([*LISTS, *LISTS, *VECTORS, *ATOMS])
    any_ = st.sampled_from([*ATOMS, *LISTS, *VECTORS])
    procedure = st.sampled_from([*PROCEDURES, *PROCEDURES, *ATOMS])
    text = st.sampled_from(['"a-b-c"', '""', '"b"', '"añb"', "'a", "5", "shared"])
    number = st.sampled_from(["0", "1", "2", "5", "-1", "1.0", "'a"])
    ring = st.sampled_from(["ring", "shared", "'(1 2 3)"])
    ticking = st.sampled_from([p for p in PROCEDURES if "tick!" in p])

    thunk = st.sampled_from([*THUNKS, *THUNKS, *ATOMS])
    clauses = st.sampled_from(CLAUSES)

    def form(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
        fixed = [st.just(part) if isinstance(part, str) else part for part in parts]
        return st.tuples(*fixed).map(lambda found: f"({' '.join(found)})")

    def one_of(names: str) -> st.SearchStrategy[str]:
        return st.sampled_from(names.split())

    walks = one_of("map for-each filter remove any every find vector-map vector-for-each "
                   "string-for-each append-map filter-map")
    return st.one_of(
        form(walks, procedure, list_),
        form(one_of("map for-each any every vector-map"), procedure, list_, list_),
        form("map", procedure, list_, list_, list_),
        form(one_of("map for-each filter any every find remove"), ticking, ring),
        form(one_of("fold fold-left fold-right reduce"), procedure, any_, list_),
        form("fold", procedure, any_, list_, list_),
        form("string-for-each", procedure, text),
        form("in-sets", list_, list_),
        form("in-maps", list_, any_),
        form("regexp-replace-all", "(rx (+ alpha))", text, procedure),
        form("sort", list_, procedure),
        form("sort", list_, one_of("< > string<? char<?")),
        form(one_of("length reverse list->vector vector->list"), list_),
        form("append", list_, list_, any_),
        form(one_of("memq memv member assq assv assoc"), any_, list_),
        form(one_of("list-ref list-tail"), list_, number),
        form(one_of("length reverse append list->vector"), "ring"),
        form(one_of("assoc member assq"), any_, "ring"),
        form(one_of("+ - * < > <= >= =").map(lambda name: f"apply {name}"), list_),
        form(one_of("hash-ref hash-table-ref/default"), "table", any_, any_),
        form(one_of("hash-set! hash-table-set!"), any_, any_, any_),
        form(one_of("hash-has-key? hash-table-contains? hash-table-exists?"), "table", any_),
        form("hash-table-update!", "table", any_, procedure),
        form("hash-table-update!", "table", any_, procedure, procedure),
        form(one_of("hash-table-update!/default hash-update!"), "table", any_, procedure, any_),
        form("hash-for-each", any_, procedure),
        form(one_of("string-length string->list"), text),
        form(one_of("string-ref substring"), text, number),
        form("substring", text, number, number),
        form("string-append", text, text, text),
        form("string-split", text, any_),
        form("string-join", list_, text),
        form(one_of("string=? string<?"), text, text),
        form("number->string", any_, st.sampled_from(["", "10", "2", "'a"])),
        form("string->number", st.sampled_from(NUMERALS), st.sampled_from(["", "10", "2", "'a"])),
        form("apply", procedure, list_),
        form("apply", procedure, any_, list_),
        form(one_of("read-line read-char peek-char"), form("open-input-string", text)),
        form("format", st.sampled_from(["", "#f"]), st.sampled_from(TEMPLATES).map('"{}"'.format),
             any_),
        form("format", "#f", st.sampled_from(TEMPLATES).map('"{}"'.format), any_, any_),
        st.sampled_from(JSON).map('(string->json "{}")'.format),
        st.sampled_from(JSON).map('(let ((in (open-input-string "{}"))) (list (read-json in) '
                                  '(read-char in) (read-json in)))'.format),
        form("json->string", any_),
        form("json->string", form("list", any_, list_)),
        form("json->string", form("hash-table", any_, any_, any_, any_)),
        form("call-with-output-string", st.sampled_from(
            ["(lambda (p) (write-char #\\a p) (write-string \"bc\" p 1))",
             "(lambda (p) (write-string 'a p))", "(lambda (p) (close-port p) (display \"a\" p))",
             "(lambda (p) (read-char p))"])),
        form("dynamic-wind", thunk, thunk, thunk),
        form(one_of("call/cc call-with-current-continuation"), procedure),
        form("call/cc", st.sampled_from(RECEIVERS)),
        form("guard", clauses, form("raise", any_)),
        form("guard", clauses, form("error", '"no:"', any_, any_)),
        form("guard", clauses, form(one_of("car cdr cadr caar"), any_)),
        form("guard", clauses, form(st.sampled_from(PROCEDURES), any_)),
    )  # fmt: skip


def run(path: Path, choice: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"LAMBENT_MACHINE": "0", "LAMBENT_NATIVE": choice}
    return subprocess.run([*LAMBENT, str(path)], env=environment, capture_output=True, text=True,
                          timeout=HANG)


@settings(max_examples=2, deadline=None, derandomize=True, phases=[Phase.generate],
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(st.lists(_calls(), min_size=FORMS, max_size=FORMS))
def test_the_definitions_agree(forms: list[str]) -> None:
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"lambent-native-{os.getpid()}.lisp"
    path.write_text(PRELUDE + "\n".join(f"(check {form})" for form in forms))
    try:
        ours, theirs = run(path, "on"), run(path, "off")
    finally:
        path.unlink()
    lines, expected = ours.stdout.splitlines(), theirs.stdout.splitlines()
    for form, line, wanted in zip(forms, lines, expected, strict=False):
        assert line == wanted, form
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)
    assert len(lines) == FORMS, ours.stderr


# Each ends with an error that is not caught: message, location and trace.
UNCAUGHT = [
    "(define (f x) (car x)) (define (g l) (map f l)) (print (g '(1)))",
    "(define (g l) (map car l)) (define (h l) (+ 1 (length (g l)))) (h '(1))",
    "(define (g l) (fold (lambda (x) x) 0 l)) (list (g '(1)))",
    "(define (g l) (for-each 5 l) 1) (g '(1))",
    "(define (g l) (sort l (lambda (a b) (< a b)))) (list (g '(1 a)))",
    "(define (g l) (filter (lambda (x :by y) x) l)) (list (g '(1 2)))",
    "(define (g t) (hash-table-update! t 'a car)) (list (g (hash-table 'a 1)))",
    "(define (g l) (map 1 2 3 4)) (list (g '(1)))",
    "(define (g) (map)) (list (g))",
    "(define (g l) (guard (e ((string? e) 1)) (map (lambda (x) (raise x)) l))) (list (g '(1)))",
    "(define (g l) (length (map + l))) (list (g '(a)))",
    "(define (g s) (string-append s \"a\" 5)) (list (g \"a\"))",
    "(define (f x) (car x)) (define (g x) (guard (e ((string? e) 1)) (f x))) (list (g 5))",
    "(define (g x) (guard (e ((string? e) 1)) (error \"no:\" x))) (list (g 5))",
    "(define (g f) (dynamic-wind f (lambda () 1) f)) (list (g (lambda () (car 5))))",
    "(define (g f) (dynamic-wind newline f newline)) (list (g (lambda () (+ 1 (car 5)))))",
    "(define (g f) (dynamic-wind newline newline f)) (list (g 5))",
    "(define (g f) (call/cc f)) (list (g car))",
    "(define (g f) (call/cc f)) (list (g (lambda () 1)))",
    "(define (g) (call/cc (lambda (k) (+ 1 (car 5))))) (list (g))",
]


RUN_EACH = """\
import sys
from lambent.lang.interp.run import run_text
for form in sys.argv[1:]:
    run_text(form, "a form")
    sys.stdout.flush()
"""


def test_traces_agree() -> None:
    def said(choice: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", RUN_EACH, *UNCAUGHT], capture_output=True, text=True,
            env=os.environ | {"LAMBENT_NATIVE": choice}, timeout=HANG, check=False,
        )  # fmt: skip
        assert done.stderr.count("a form:") >= len(UNCAUGHT), done
        return done.stdout + done.stderr

    assert said("on") == said("off")


# The first thing that a program does: nothing else has loaded what a function in C asks for.
FIRST = [
    "(raise 42)", "(raise (list 1))", "(error \"no\" 1)", "(error 'f 1 2)", "(error)", "(raise)",
    "(raise-continuable 1)", "(car 5)", "(+ 'a 1)", "(length 5)", "(list-ref '(1) 5)", "(assq 1 5)",
    "(hash-ref (make-hash-table) 1)", "(string-append 1)", "(write-char 5)", "(display 1 2)",
    "(read-line 5)", "(call/cc 5)", "(call/cc (lambda (k) (k 1)))", "(dynamic-wind list 5 list)",
    "(guard (e (#t (print e))) (raise 1))", "(guard (e ((symbol? e) 1)) (raise 1))",
    "(map 1 '(1))", "(exit 3)", "(apply error '(1 2))", "(apply raise '(1))",
]


def test_each_works_as_the_first_of_a_process() -> None:
    def said(form: str, choice: str) -> tuple[str, str, int]:
        done = subprocess.run([*LAMBENT, "-e", form], capture_output=True, text=True, timeout=HANG,
                              env=os.environ | {"LAMBENT_NATIVE": choice}, check=False)  # fmt: skip
        return done.stdout, done.stderr, done.returncode

    for form in FIRST:
        ours = said(form, "on")
        assert ours == said(form, "off"), form
        assert ours[2] in (0, 3, 70), (form, ours)


DEEP = """\
(define (tree n) (if (= n 0) '() (list (tree (- n 1)))))
(define (depth t) (+ 1 (apply max 0 (map depth t))))
(print (depth (tree 20000)))
(define (endless x) (map endless (list x)))
(print (guard (e (#t (error-object-message e))) (endless 1)))
(define long (iota 1000000))
(print (length (map (lambda (x) x) long)))
(print (fold (lambda (x n) (+ n 1)) 0 (append long long)))
"""


def test_deep_recursion_and_long_lists(tmp_path: Path) -> None:
    path = tmp_path / "deep.lisp"
    path.write_text(DEEP)
    done = run(path, "on")
    assert done.stdout == "20001\nrecursion is too deep\n1000000\n2000000\n", done


LIFETIMES = """\
(define (live) (cdr (assq 'live-handles (tensor-memory))))
(define (tensors) (map (lambda (k) (tensor-ones 2)) '(1 2 3)))
(for-each (lambda (t) (write (live))) (tensors))
(write (map (lambda (t) (live)) (tensors)))
(write (fold (lambda (t n) (cons (live) n)) '() (tensors)))
(write (length (filter (lambda (t) (write (live)) #f) (tensors))))
(write (guard (e (#t (live))) (for-each (lambda (t) (car t)) (tensors))))
(write (call/cc (lambda (k) (map (lambda (t) (k 1)) (tensors)))))
(write (live))
"""


def test_tensors_are_freed_on_the_way(tmp_path: Path) -> None:
    path = tmp_path / "lifetimes.lisp"
    path.write_text(LIFETIMES)
    done = run(path, "on")
    assert done.stdout == "321(3 2 1)(1 2 3)3210010", done


# What looks at memory that may have been freed, or takes stack.
HOSTILE = """\
(define (nested make) (let loop ((i 0) (x '())) (if (< i 100000) (loop (+ i 1) (make x i)) x)))
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(for-each (lambda (make) (print (pair? (list (nested make)))))
          (list cons (lambda (x i) (cons i x)) (lambda (x i) (vector x (list i))) make-point
                (lambda (x i) (let ((table (hash-table))) (hash-table-set! table i x) table))))
(define ring (list 1 2 3))
(set-cdr! (cddr ring) ring)
(check (list-ref ring 100001))
(check (sort ring <))
(check (list->vector ring))
(define v (vector 1 2 3))
(check (vector-map (lambda (x) (vector-fill! v 0) x) v))
(check (hash-table-update! table 'a (lambda (x) (hash-clear! table) (list x))))
(check (hash-for-each table (lambda (k v) (hash-clear! table) (hash-set! table (list k) v))))
(define kept #f)
(define rounds 0)
(check (map (lambda (x) (call/cc (lambda (k) (if (= x 2) (set! kept k)) x))) '(1 2 3)))
(check (begin (set! rounds (+ rounds 1)) (if (< rounds 3) (kept 10) rounds)))
(define steps '())
(check (map (lambda (x) (dynamic-wind (lambda () (set! steps (cons 'in steps)))
                                      (lambda () (if (= x 2) (escape 'out) x))
                                      (lambda () (set! steps (cons 'out steps)))))
            '(1 2 3)))
(print steps)
(check (with-exception-handler
         (lambda (e) (* e 10))
         (lambda () (map (lambda (x) (+ 1 (raise-continuable x))) '(1 2)))))
(check (map (lambda (x y z) (list x y z)) '(1 2) '(3 4) '(5 6)))
(check (string-split "a\\x0;b\\x0;c" "\\x0;"))
(check (string->list "\\x1F600;\u00e9\\x0;"))
(check (string->json (string-append "[" (make-string 2000 #\\[))))
(define (deep n) (if (= n 0) 1 (list (deep (- n 1)))))
(check (string-length (json->string (deep 5000))))
(check (json->string ring))
(check (json->string (list 0.001 0.0001 1e15 999999999999999.5 1e300 -0.0 1/3 '() #() 'a 'null)))
(check (json->string (list 9223372036854775807 9223372036854775808 -9223372036854775808)))
(check (json->string "\\\\ \\" \\n\\r\\t\\x8;\\xC;\\x1;\\x0;\\x7f;\\x1F600;"))
(check (json->string (hash-table '(1) 2)))
(for-each
  (lambda (x)
    (for-each (lambda (template) (check (format #f template x)))
              '("~a" "~s" "~d" "~,2f" "~6,1f|" "~10s|" "~5d|" "100%~a" "~,20f")))
  (list 5 -0.0 2.675 1e300 +inf.0 +nan.0 1/3 123456789012345678901 999999999 1000000000 "%d" car))
(check (format #f "~a\\x0;\u00e9~5a|" "\\x0;" "\\x1F600;"))
(check (sort (list 100000000000000000000 1e20 1/2 99999999999999999999 -0.0 0.0 0) <))
(check (sort (list 1 2.0 1.0 2 +nan.0) >))
(check (list-ref '(1 2) 100000000000000000000))
(check (substring "abc" 0 100000000000000000000))
(define closed (open-input-string "xyz"))
(close-port closed)
(check (read-char closed))
(check (peek-char closed))
(check (read-line closed))
(define out (open-output-string))
(close-port out)
(check (write-char #\\a out))
(check (write-string "a" out))
(check (display "a" out))
(check (display "a" closed))
(check (read-line (open-input-string "ab\\r\\nc")))
"""


def test_hostile_calls_agree(tmp_path: Path) -> None:
    path = tmp_path / "hostile.lisp"
    path.write_text(PRELUDE + HOSTILE)
    ours, theirs = run(path, "on"), run(path, "off")
    assert ours.stdout == theirs.stdout
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr) == (0, "")


# Cycles of new pairs: the collector learns of them late, and must free all of them.
CYCLES = """\
(define (ring n) (let ((l (iota n))) (set-cdr! (list-tail l (- n 1)) l) l))
(define (rings k) (if (> k 0) (begin (ring 20) (rings (- k 1)))))
(define v (make-vector 10 '()))
(define (knot k)
  (when (> k 0)
    (let ((p (list k k)))
      (set-car! p p)
      (vector-set! v (modulo k 10) (list p (vector-ref v (modulo (+ k 3) 10)) v))
      (if (= 0 (modulo k 7)) (vector-set! v (modulo k 10) '()))
      (knot (- k 1)))))
(define (deep n acc) (if (= n 0) acc (deep (- n 1) (list acc (vector acc)))))
(rings 5000)
(knot 5000)
(print (pair? (deep 20000 '())))
(print (length (append (iota 3000) (reverse (map list (iota 3000))))))
(rings 3)
"""

WITH_CYCLES = """import gc, sys
from lambent.lang.interp.run import run_text
from lambent.lang.interp.values.values import Pair
gc.collect()
gc.set_threshold(int(sys.argv[1]))
run_text(sys.argv[2], "cycles")
gc.collect()
gc.collect()
kept = [x for x in gc.get_objects() if x.__class__ is Pair]
sys.exit(f"{len(kept)} pairs are left" if len(kept) > 1000 else 0)
"""


@pytest.mark.parametrize("threshold", [1, 700])
def test_cycles_of_pairs_are_freed(threshold: int) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", WITH_CYCLES, str(threshold), CYCLES],
        capture_output=True, text=True, timeout=HANG, check=False,
        env=os.environ | {"LAMBENT_NATIVE": "on", "PYTHONMALLOC": "debug"},
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("#t\n6000\n", "", 0)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the module, in a cache that holds the library."""
    prepare_cache(tmp_path / "cache")
    shutil.rmtree(tmp_path / "cache" / "native")
    monkeypatch.setenv("LAMBENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the cache is if that one cannot be used
    return tmp_path / "cache" / "native"


def compiler(folder: Path, script: str) -> str:
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_failed_compilation_is_not_repeated_at_each_start(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler(tmp_path, "echo no such header >&2; exit 1"))
    assert native.load() is None
    failure = own_cache / f"{native.key()}.failed"
    assert failure.read_text() == "no such header\n"
    monkeypatch.setenv("CC", compiler(tmp_path, f"echo tried > {tmp_path}/tried; exit 1"))
    assert native.load() is None
    assert not (tmp_path / "tried").exists()
    os.utime(failure, (0, 0))
    assert native.load() is None
    assert (tmp_path / "tried").exists()


def test_no_compiler_and_no_folder_are_no_errors(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert native.load() is None
    assert not own_cache.exists()
    monkeypatch.setenv("CC", compiler(tmp_path, "exit 1"))
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("this is not a folder")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "cache"))
    assert native.load() is None


def test_processes_that_compile_at_once_leave_one_complete_module(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert native.NATIVE is not None
    module = native.NATIVE.__file__
    script = "[ $1 = -dumpmachine ] && exit; " \
        f"head -c 1000 {module} > $1; sleep 0.2; cat {module} > $1"
    monkeypatch.setenv("CC", compiler(tmp_path, script))
    load = "from lambent.lang.interp.native import NATIVE; print(NATIVE is not None)"
    started = [
        subprocess.Popen([sys.executable, "-c", load], stdout=subprocess.PIPE) for _ in range(3)
    ]
    assert [process.communicate(timeout=HANG)[0] for process in started] == [b"True\n"] * 3
    assert [path.suffix for path in own_cache.iterdir()] == [".so"]
    assert native.load() is not None


@pytest.mark.parametrize("machine", ["interpreter", "default"])
@pytest.mark.parametrize(
    "walk", ["(for-each (lambda (x) x) ring)", "(fold + 0 ring)", "(for-each list ring)"]
)
def test_ctrl_c_ends_an_endless_walk(tmp_path: Path, walk: str, machine: str) -> None:
    path = tmp_path / "endless.lisp"
    path.write_text(
        "(define ring (list 1 2)) (set-cdr! (cdr ring) ring)"
        f"(print 1) (flush-output-port) {walk}")
    choice = {"LAMBENT_MACHINE": "0"} if machine == "interpreter" else {}
    with subprocess.Popen([*LAMBENT, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=os.environ | choice) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"  # however long the start takes
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG)
    assert process.returncode == 130


def test_python_s_own_arithmetic_is_python_s() -> None:
    """In Lisp a number too large for a double is infinite beside one; in Python it is an error."""
    assert lambent.Session().eval("(* 0.5 (expt 10 400))") == float("inf")
    for operation in (operator.add, operator.sub, operator.mul):
        for arguments in ((0.5, 10**400), (10**400, 0.5)):
            with pytest.raises(OverflowError):
                operation(*arguments)
    assert 0.5 * 4 == 2.0 and 10**400 * 2 > 10**400


def test_large_numbers_beside_doubles_agree() -> None:
    program = (
        "(define (f x y) (list (+ x y) (- x y) (* x y) (- y x)))"
        "(define big (expt 7 500)) (define l (list big 1.5 (/ big 2) -2 (- big) 0.0))"
        "(for-each (lambda (x) (for-each (lambda (y) (print (f x y))) l)) l)"
    )
    said = [
        subprocess.run(
            [sys.executable, "-m", "lambent.lang", "-e", program], capture_output=True, text=True,
            env=os.environ | {"LAMBENT_NATIVE": choice}, timeout=HANG, check=True,
        ).stdout
        for choice in ("on", "off")
    ]  # fmt: skip
    assert said[0] == said[1]
    assert "+inf.0" in said[0]


@pytest.mark.parametrize(
    "text, opened, at",
    [
        ("a,b\n" * 10**6 + "c\n", None, 4 * 10**6),
        ("1,2\n" + '"' + "a,b\n" * 10**6, 2, 4),
        (",\r" * 10**6 + '"a"\r\n' * 3, None, 2 * 10**6),
        ("1," * 10**6, None, 2 * 10**6),
        ('"",' * 10**6 + '"', 1, 0),
    ],
)
def test_lisp_begins_where_a_long_table_is_wrong_or_ends(
    text: str, opened: int | None, at: int
) -> None:
    """It takes a hundred times as long for each character."""
    port = open_input_string(String(text))
    called: list[tuple[int, object]] = []

    def lisp(path: object, port: Port, *more: object) -> None:
        called.append((port.input.at, more[-2]))

    csv_rows(String("x"), port, String(","), NIL, FALSE, 1, None, lisp)
    assert called == [(at, FALSE if opened is None else opened)]


def test_a_wrong_row_is_found_before_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("1,2\n3\n" + "4,5\n" * 1_000_000)
    port = open_input_file(String(str(tmp_path / "long.csv")))
    read: list[int] = []

    def lisp(path: object, port: Port, *more: object) -> None:
        read.append(len(port.input.text))

    csv_rows(String("x"), port, String(","), NIL, FALSE, 1, None, lisp)
    assert read[0] < 1_000_000
