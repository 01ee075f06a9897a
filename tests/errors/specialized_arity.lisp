; A lambda of the wrong number of parameters.
(define (pairs items) (map (lambda (x y) (list x y)) items))
(pairs '(1 2))

; error, status 70:
; specialized_arity.lisp:3:1: lambda: expected 2 arguments, got 1
;   3 | (pairs '(1 2))
;     | ^^^^^^^^^^^^^^
; hint: usage: (lambda x y)
