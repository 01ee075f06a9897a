;; A macro holds from its definition to the next one of its name, as in a session.
(define-syntax m (syntax-rules () ((_) 1)))
(define (use) (m))
(print (use))  ; => 1
(define-syntax m (syntax-rules () ((_) 2)))
(print (use) (m))  ; => 1 2
;; A macro becomes a procedure, and a macro again.
(define (use2) (m))
(define (m) 'procedure)
(define (use3) (m))
(print (use) (use2) (use3) (m))  ; => 1 2 procedure procedure
(define-syntax m (syntax-rules () ((_) 3)))
(print (use3) (m))  ; => procedure 3
(define (m) 'other)
(print (use3) (m))  ; => other other
;; A macro that uses another one finds what that is at the use.
(define-syntax outer (syntax-rules () ((_) (list 'outer (inner)))))
(define-syntax inner (syntax-rules () ((_) 1)))
(define (use-outer) (outer))
(define-syntax inner (syntax-rules () ((_) 2)))
(print (use-outer) (outer))  ; => (outer 1) (outer 2)
;; Keywords of the language, macros of the library, words of forms.
(define (choose x) (if x 'yes 'no))
(define-syntax if (syntax-rules () ((_ a b c) (list 'mine a b c))))
(print (choose #t) (if 1 2 3))  ; => yes (mine 1 2 3)
(define (if a b c) (list 'procedure a b c))
(print (choose #f) (if 1 2 3))  ; => no (procedure 1 2 3)
(define (count-up) (let ((n 0)) (while (< n 3) (set! n (+ n 1))) n))
(define (while a b) (list 'while a b))
(print (count-up) (while 1 2))  ; => 3 (while 1 2)
(define (last-clause) (cond (#f 1) (else 'words)))
(define (classify x) (case x ((1) 'one) (else => list)))
(define else #f)
(define => 5)
(print (last-clause) (classify 2) else)  ; => words (2) #f
(print (cond (else 1) (#t 'variable)))  ; => variable
(define-syntax one-of (syntax-rules (or) ((_ a or b) (list 'either a b)) ((_ a o b) 'no-match)))
(define (pick) (one-of 1 or 2))
(define or 0)
(print (pick) (one-of 1 or 2))  ; => (either 1 2) (either 1 2)
;; Procedures of the library become macros.
(define (firsts l) (map car l))
(define-syntax map (syntax-rules () ((_ f l) (list 'mapped l))))
(print (firsts '((1 2) (3 4))) (map car '(5)))  ; => (1 3) (mapped (5))
;; defmacro.
(defmacro twice (x) `(list ,x ,x))
(define (use-twice) (twice 1))
(defmacro twice (x) `(list 'two-of ,x))
(print (use-twice) (twice 2))  ; => (1 1) (two-of 2)
(define (twice x) (* 2 x))
(print (use-twice) (twice 2))  ; => (1 1) 4
(defmacro step (x) `(+ 1 ,x))
(defmacro step (x) `(+ 100 ,x))
(define (use-step) (step 1))
(print (use-step))  ; => 101
;; Forms in a begin, and definitions that a macro makes.
(begin
  (define-syntax here (syntax-rules () ((_) 'a)))
  (print (here))  ; => a
  (define-syntax here (syntax-rules () ((_) 'b)))
  (print (here)))  ; => b
(define-syntax set-up
  (syntax-rules () ((_ name value) (define-syntax name (syntax-rules () ((_) value))))))
(set-up made 'x)
(define (use-made) (made))
(set-up made 'y)
(print (use-made) (made))  ; => x y
;; Imported and included files, libraries.
(import "data/macro_changes.lisp")
(print (kind) (kind-inside) (becomes 1) (becomes-inside 2))
; => second first (procedure 1) (macro 2)
(define (imported-kind) (kind))
(define-syntax kind (syntax-rules () ((_) 'own)))
(print (imported-kind) (kind) (kind-inside))  ; => second own first
(include "data/macro_changes.scm")
(print (part) (part-inside))  ; => included-second included-first
(define-library (changing)
  (export now before)
  (import (scheme base))
  (begin
    (define-syntax now (syntax-rules () ((_) 1)))
    (define (before) (now))
    (define-syntax now (syntax-rules () ((_) 2)))))
(import (changing))
(print (now) (before))  ; => 2 1
;; A variable is still visible in the procedures above it.
(define (is-even n) (cond ((= n 0) #t) (#t (is-odd (- n 1)))))
(define (is-odd n) (cond ((= n 0) #f) (#t (is-even (- n 1)))))
(print (is-even 10))  ; => #t
;; What is used above its definition as a macro is an unbound variable.
(define (too-early) (late () 5))
(define (still-variable) (late 5))
(define-syntax late (syntax-rules () ((_ a b) b)))
(print (late () 5))  ; => 5
(print (guard (e (#t (error-object-message e))) (too-early)))  ; => unbound variable: late
(print (guard (e (#t (error-object-message e))) (still-variable)))  ; => unbound variable: late
