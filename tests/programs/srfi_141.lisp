; SRFI 141: integer division, by each way to round the quotient.
(import (srfi 141))
(define (message thunk) (guard (e (#t (error-object-message e))) (thunk)))
(define-syntax pair-of
  (syntax-rules () ((_ expression) (call-with-values (lambda () expression) list))))
(define pairs '((5 2) (-5 2) (5 -2) (-5 -2) (7 4) (6 4) (-6 4) (6 -4) (2 4) (3 2) (0 3)))
(define (all divide) (map (lambda (p) (pair-of (divide (car p) (cadr p)))) pairs))
(define (each divide) (map (lambda (p) (divide (car p) (cadr p))) pairs))
(print (all floor/)) ; => ((2 1) (-3 1) (-3 -1) (2 -1) (1 3) (1 2) (-2 2) (-2 -2) (0 2) (1 1) (0 0))
(print (each floor-quotient) (each floor-remainder)) ; => (2 -3 -3 2 1 1 -2 -2 0 1 0) (1 1 -1 -1 3 2 2 -2 2 1 0)
(print (all ceiling/)) ; => ((3 -1) (-2 -1) (-2 1) (3 1) (2 -1) (2 -2) (-1 -2) (-1 2) (1 -2) (2 -1) (0 0))
(print (each ceiling-quotient) (each ceiling-remainder)) ; => (3 -2 -2 3 2 2 -1 -1 1 2 0) (-1 -1 1 1 -1 -2 -2 2 -2 -1 0)
(print (all truncate/)) ; => ((2 1) (-2 -1) (-2 1) (2 -1) (1 3) (1 2) (-1 -2) (-1 2) (0 2) (1 1) (0 0))
(print (each truncate-quotient) (each truncate-remainder)) ; => (2 -2 -2 2 1 1 -1 -1 0 1 0) (1 -1 1 -1 3 2 -2 2 2 1 0)
(print (all round/)) ; => ((2 1) (-2 -1) (-2 1) (2 -1) (2 -1) (2 -2) (-2 2) (-2 -2) (0 2) (2 -1) (0 0))
(print (each round-quotient) (each round-remainder)) ; => (2 -2 -2 2 2 2 -2 -2 0 2 0) (1 -1 1 -1 -1 -2 2 -2 2 -1 0)
(print (all euclidean/)) ; => ((2 1) (-3 1) (-2 1) (3 1) (1 3) (1 2) (-2 2) (-1 2) (0 2) (1 1) (0 0))
(print (each euclidean-quotient) (each euclidean-remainder)) ; => (2 -3 -2 3 1 1 -2 -1 0 1 0) (1 1 1 1 3 2 2 2 2 1 0)
(print (all balanced/)) ; => ((3 -1) (-2 -1) (-3 -1) (2 -1) (2 -1) (2 -2) (-1 -2) (-2 -2) (1 -2) (2 -1) (0 0))
(print (each balanced-quotient) (each balanced-remainder)) ; => (3 -2 -3 2 2 2 -1 -2 1 2 0) (-1 -1 -1 -1 -1 -2 -2 -2 -2 -1 0)

; Huge and inexact integers.
(define big (+ (expt 10 30) 1))
(print (pair-of (round/ big 1000)) (pair-of (ceiling/ (- big) 1000)) (pair-of (euclidean/ big (- big))) (pair-of (balanced/ big 2))) ; => (1000000000000000000000000000 1) (-1000000000000000000000000000 -1) (-1 0) (500000000000000000000000000001 -1)
(print (pair-of (ceiling/ 7.0 2)) (pair-of (round/ 7 2.0)) (pair-of (euclidean/ -7.0 2.0)) (pair-of (balanced/ 7.0 4.0))) ; => (4.0 -1.0) (4.0 -1.0) (-4.0 1.0) (2.0 -1.0)

; Errors.
(print (message (lambda () (ceiling/ 1 0))) (message (lambda () (round-quotient 1 0)))) ; => ceiling/: division by zero: round-quotient: division by zero:
(print (message (lambda () (euclidean-remainder 1.5 2))) (message (lambda () (balanced/ 1 'a)))) ; => euclidean-remainder: expected an integer, got 1.5 balanced/: expected an integer, got a
