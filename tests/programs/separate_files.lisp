;; separate_files.lisp - each file of a program is compiled separately, and they share variables,
;; constants and procedures.

(import "modules/split/users.lisp" "modules/split/numbers.lisp")
(include "modules/split/included.lisp")
(print after total count) ; => 0.5 0.5 1
(print (sum! '(1 2 3/2))) ; => (5.0 4)
(print (add! 1) total count) ; => 5 6.0 5
(define (mine) (list (start) (label) (start)))
(print (map own-start? (mine)) (eq? (start) (car (mine))) (own-start? '(start))) ; => (#t #t #t) #t #f
(print (long-walk 100001) (long-walk 1000000)) ; => (odd 100001) (even 1000000)
(define four (adder 4))
(print (four 1) (four 1 2 3) ((adder 1 :scale 10) 5) (map (adder 2) '(1 2))) ; => 5 10 51 (3 4)
(print (plus-seven 1) (apply plus-seven '(2)) count) ; => 8 9 7
(print (map point-x (list (make-point 1 2) (moved (make-point 3 4))))) ; => (1 4)
(print (catches '(1)) (catches 'a)) ; => (2) car: expected a pair, got a
(print (eq? each (car (list each))) (procedure? fails) each) ; => #t #t #<procedure each>
(print (included '(3 1 2)) (map included-twice '(1 2))) ; => (1 2 3) (2 4)
(define-adder plus-two 2)
(print (call/cc (lambda (k) (each (lambda (x) (if (> x 1) (k x))) '(1 2 3)))) (plus-two 1) count) ; => 2 3 8
