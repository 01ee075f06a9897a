; A trace through anonymous procedures.
(define (make x) (lambda (y) (+ x (car y))))
(define f (make 1))
(print (list (f 5)))

; error, status 70:
; in_closure.lisp:2:35: car: expected a pair, got 5
;   2 | (define (make x) (lambda (y) (+ x (car y))))
;     |                                   ^^^^^^^
;   in lambda, called at in_closure.lisp:4:14
