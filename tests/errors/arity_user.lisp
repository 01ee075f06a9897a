; Too few arguments to a procedure of the program.
(define (area width height) (* width height))
(print (area 3))

; error, status 70:
; arity_user.lisp:3:8: area: expected 2 arguments, got 1
;   3 | (print (area 3))
;     |        ^^^^^^^^
; hint: usage: (area width height)
