; What grad differentiates gives several numbers.
(define (f x) (* x x))
((grad f) [1.0 2.0])

; error, status 70:
; grad_of_many.lisp:3:1: grad: expected a number or a tensor of one element from the procedure, got one of shape (2)
;   3 | ((grad f) [1.0 2.0])
;     | ^^^^^^^^^^^^^^^^^^^^
; hint: jacobian takes procedures that return several numbers
