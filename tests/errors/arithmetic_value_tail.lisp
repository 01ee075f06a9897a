(define (two f a b) (f a b))
(define (start f) (list (two f 1 'a)))
(print (start +))

; error, status 70:
; arithmetic_value_tail.lisp:2:25: +: expected a number, got a
;   2 | (define (start f) (list (two f 1 'a)))
;     |                         ^^^^^^^^^^^^
;   in start, called at arithmetic_value_tail.lisp:3:8
