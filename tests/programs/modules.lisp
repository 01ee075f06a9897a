;; modules.lisp - files and libraries, each of which runs once.

(import "modules/shapes.lisp" (prefix "modules/counter.lisp" c:))
; => counter runs
; => shapes runs
(print (area 2) (c:next!) (c:twice!)) ; => 12 2 4
(print one two)              ; => 1 2

;; A program may use the names of a module's other helpers for itself.
(define (helper r) 'mine)
(print (helper 1) (area 1) (square-of 5)) ; => mine 3 25
(print c:count area)         ; => 5 #<procedure area>

;; Import sets nest in any order.
(import (only (rename (prefix "modules/counter.lisp" k:) (k:next! tick!)) tick!))
(print (tick!))              ; => 6
(import (prefix (except "modules/counter.lisp" count twice!) only:))
(print (only:next!))         ; => 7

;; What is ambient stays so, by its own name and by others.
(import (scheme base) (prefix (only (scheme char) char-upcase) char:))
(print (char:char-upcase #\a) (map abs '(-1 2))) ; => A (1 2)
(import (rename (only (scheme base) car else =>) (car first-of)))
(print (first-of '(1 2)) (cond (#f 1) (else 2))) ; => 1 2
(import (prefix (srfi 1) l:) (only (lambent list) fold) (srfi 8))
(print (l:fold + 0 '(1 2)) (receive all (values 1 2) all)) ; => 3 (1 2)

;; A macro of the standard under another name.
(import (rename (only (scheme base) when) (when if-so)))
(print (if-so #t 1 2))       ; => 2

;; Forms that hold others.
(cond-expand
  ((and lambent (library (scheme base)) (not no-such-feature))
   (define which 'first))
  (else (define which 'second)))
(print which)                ; => first
(define (inner)
  (cond-expand (no-such-feature (define x 1))
               ((or (library (no such library)) full-unicode) (define x 2)))
  (include "modules/deep/weights.scm")
  (list x weight))
(print (inner))              ; => (2 1/2)
(print (cond-expand (no-such-feature 1) (else 2))) ; => 2
(print (and (memq 'lambent (features)) 'yes)) ; => yes
