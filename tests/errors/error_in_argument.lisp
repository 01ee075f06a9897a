; An error in the middle of an expression, when other values are already held.
(define (use a b c) (list a b c))
(print (use (tensor-ones 3) (list 1 "two" (vector 3)) (car 4)))

; error, status 70:
; error_in_argument.lisp:3:55: car: expected a pair, got 4
;   3 | (print (use (tensor-ones 3) (list 1 "two" (vector 3)) (car 4)))
;     |                                                       ^^^^^^^
