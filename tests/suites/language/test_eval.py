"""`eval`, `load` and environments, which executables do not have."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.suites.language.test_modules import lambent, write


@pytest.fixture(autouse=True, params=["interpreter", "evaluator"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMBENT_MACHINE", "1" if request.param == "evaluator" else "0")


PROGRAM = """\
(import (scheme eval) (scheme repl) (scheme load))
(define x 10)
(define (f y) (* x y))
(print (eval '(f 4) (interaction-environment)))           ; => 40
(eval '(define z 5) (interaction-environment))
(print z (eval '(+ z x)))                                 ; => 5 15
(eval '(set! x 7))
(print (f 1))                                             ; => 7
(eval '(define (f y) 'new))
(print (f 1))                                             ; => new
(print (eval '(* 7 3) (environment '(scheme base))))      ; => 21
(define e (environment '(prefix (only (scheme base) car) b:) "a.lisp"))
; => a runs
(print (eval '(b:car (list x x)) e) x e)                  ; => 99 7 #<environment>
(eval '(define own 1) e)
(print (guard (c (#t (condition->text c))) (eval 'own)))  ; => unbound variable: own
(print (eval (list + 1 2) (scheme-report-environment 5))) ; => 3
(define-syntax swap (syntax-rules () ((_ a b) (list b a))))
(print (eval '(swap 1 2) (interaction-environment)))      ; => (2 1)
(load "b.lisp")
(print loaded)                                            ; => (yes 7)
(load "b.lisp" e)
(print (eval 'loaded e))                                  ; => (yes 99)
(print (guard (c (#t (condition->text c))) (eval '(car 5)))) ; => car: expected a pair, got 5
(print (guard (c (#t (car (error-object-irritants c)))) (eval '(error "no" 'why)))) ; => why
(print (guard (c ((file-error? c) 'file)) (load "none.lisp"))) ; => file
(print (guard (c (#t 'syntax)) (eval '(let ((x)) 1))))    ; => syntax
(print (map (lambda (e) (eval e)) '(1 "a" (list 1 2) #\\b))) ; => (1 a (1 2) b)
(eval '(import (only "a.lisp" twice)))
(print (eval '(twice 4)) (eval '(begin (define-values (q r) (floor/ 7 2)) (list q r)))) ; => 8 (3 1)
(define (deep n) (if (= n 0) 'end (eval `(deep ,(- n 1)))))
(print (deep 50))                                         ; => end
""".replace("condition->text", "error-object-message")


def test_program(tmp_path: Path) -> None:
    write(tmp_path, {
        "main.lisp": PROGRAM,
        "a.lisp": '(define x 99)\n(define (twice n) (* 2 n))\n(print "a runs")\n',
        "b.lisp": "(define loaded (list 'yes x))\n",
    })
    expected = [line.split("; => ")[1] for line in PROGRAM.splitlines() if "; => " in line]
    for _ in ("cold", "warm"):
        done = lambent(tmp_path, "main.lisp")
        assert (done.stderr, done.stdout.splitlines()) == ("", expected)
    assert lambent(tmp_path, "check", "main.lisp").stderr == ""


def test_error_in_evaluated_data(tmp_path: Path) -> None:
    write(tmp_path, {"main.lisp": "(define (h n) (car n))\n(define (g n) (+ 1 (eval `(h ,n))))\n"
                                  "(list (g 3))\n"})
    done = lambent(tmp_path, "main.lisp")
    assert (done.returncode, done.stderr) == (70, """\
main.lisp:1:15: car: expected a pair, got 3
  1 | (define (h n) (car n))
    |               ^^^^^^^
  in h, called at eval:1:1
  in eval, called at main.lisp:2:20
  in g, called at main.lisp:3:7
""")


def test_bad_syntax_at_run_time_is_an_error_of_the_run(tmp_path: Path) -> None:
    write(tmp_path, {"main.lisp": "(print 1)\n(eval '(if))\n"})
    done = lambent(tmp_path, "main.lisp")
    assert (done.stdout, done.returncode) == ("1\n", 70)
    assert done.stderr.startswith("eval:1:1: if: expected (if test then [else]), got (if)\n")


@pytest.mark.parametrize(("text", "said"), [
    ("(define (f) (list (eval 'x)))", "main.lisp:1:19: eval: an executable has no evaluator\n"),
    ("(print (map load '()))", "main.lisp:1:13: load: an executable has no evaluator\n"),
    ("(import (scheme eval))", "main.lisp:1:9: import: an executable has no (scheme eval)\n"),
])
def test_the_compiler_refuses(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, {"main.lisp": text + "\n"})
    done = lambent(tmp_path, "compile", "main.lisp")
    assert done.returncode == 65
    assert done.stderr.startswith(said)
    assert done.stderr.endswith("hint: run the program with: lambent main.lisp\n")
    assert not (tmp_path / "main").exists()


def test_program_may_define_eval_and_load(tmp_path: Path) -> None:
    write(tmp_path, {"main.lisp": "(define (eval x) (list x))\n(define (load x) x)\n"
                                  "(print (eval 1) (load 2))\n"})
    assert lambent(tmp_path, "main.lisp").stdout == "(1) 2\n"
    assert lambent(tmp_path, "compile", "main.lisp").returncode == 0


def test_a_warm_start_without_eval_imports_no_front_end(tmp_path: Path) -> None:
    write(tmp_path, {"main.lisp": "(if (null? (cdr (command-line))) 1 (eval ''x))\n"})
    lambent(tmp_path, "main.lisp")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "lambent.lang", "main.lisp"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )
    assert "lambent.lang.core.analyze" not in done.stderr


CHANGING_MACROS = """\
(define env (interaction-environment))
(define (now) (eval '(k) env))
(print (guard (e (#t (error-object-message e))) (now)))    ; => unbound variable: k
(include "included.scm")
; => included
; => nested
(print (now))                                              ; => nested
(load "loaded.scm")
; => nested
; => loaded
(print (now) (eval '(from-load) env))                      ; => loaded from-load
(begin (define-syntax k (syntax-rules () ((_) 1))) (print (now))
       (define-syntax k (syntax-rules () ((_) 2))) (print (now)))
; => 1
; => 2
(cond-expand (lambent (define-syntax k (syntax-rules () ((_) 3)))) (else 1))
(print (now))                                              ; => 3
(define (k) 'procedure)
(print (now))                                              ; => procedure
(defmacro k () ''defmacro)
(print (now))                                              ; => defmacro
(let () (define-syntax k (syntax-rules () ((_) 'local))) (print (k) (now))) ; => local defmacro
(define-record-type k-type (make-k a) k? (a k))
(print (eval '(k (make-k 1)) env))                         ; => 1
(define-syntax define-it (syntax-rules () ((_ n v) (define-syntax n (syntax-rules () ((_) v))))))
(define-it k 'by-macro)
(print (now))                                              ; => by-macro
(eval '(define-syntax j (syntax-rules () ((_) 'evaluated))) env)
(print (eval '(list (j) (k))))                             ; => (evaluated by-macro)
(print (guard (e (#t 'failed))
  (eval '(begin (define-syntax k (syntax-rules () ((_) 4))) (print (now)) (error "x")
                (define-syntax k (syntax-rules () ((_) 5)))))))
; => 4
; => failed
(print (now))                                              ; => 5
(define-syntax if (syntax-rules () ((_ a b c) (list 'mine a b c))))
(print (eval '(if 1 2 3) env) (eval '(if 1 2 3) (environment '(scheme base)))) ; => (mine 1 2 3) 2
(define-library (uses eval)
  (import (scheme base) (scheme eval) (scheme repl))
  (export k-there)
  (begin (define (k-there) (eval '(k) (interaction-environment)))))
(import (uses eval))
(print (k-there))                                          ; => 5
(define-syntax k (syntax-rules () ((_) 'last)))
(print (k-there))                                          ; => last
"""


def test_macros_that_change(tmp_path: Path) -> None:
    """`eval` sees the macros that hold where the program is, in a file as in a session."""
    write(tmp_path, {
        "main.lisp": CHANGING_MACROS,
        "included.scm": "(define-syntax k (syntax-rules () ((_) 'included)))\n(print (now))\n"
                        '(include "nested.scm")\n',
        "nested.scm": "(define-syntax k (syntax-rules () ((_) 'nested)))\n(print (now))\n",
        "loaded.scm": "(print (k))\n(define-syntax k (syntax-rules () ((_) 'loaded)))\n"
                      "(print (now))\n"
                      "(define-syntax from-load (syntax-rules () ((_) 'from-load)))\n",
    })
    expected = [line.split("; => ")[1] for line in CHANGING_MACROS.splitlines() if "; => " in line]
    for _ in ("cold", "warm"):
        done = lambent(tmp_path, "main.lisp")
        assert (done.stderr, done.stdout.splitlines()) == ("", expected)
    piped = lambent(tmp_path, given=CHANGING_MACROS)
    assert (piped.stderr, piped.stdout.splitlines()) == ("", expected)


def test_tests_read_expressions(tmp_path: Path) -> None:
    write(tmp_path, {"main.lisp": """\
(import (srfi 64))
(define x 3)
(test-begin "read")
(test-equal 7 (test-read-eval-string "(+ x 4)"))
(test-error (test-read-eval-string "(+ x 4"))
(test-error (test-read-eval-string "1 2"))
(test-error (test-read-eval-string " "))
(test-end)
"""})
    done = lambent(tmp_path, "main.lisp")
    assert (done.stderr, done.stdout) == ("", "read: 4 passed\n")
