; Too many arguments to a primitive.
(print (car '(1) '(2)))

; error, status 70:
; arity_primitive.lisp:2:8: car: expected 1 argument, got 2
;   2 | (print (car '(1) '(2)))
;     |        ^^^^^^^^^^^^^^^
; hint: usage: (car pair)
