; Another Lisp's name for bitwise-ior, whose nearest name is another operation.
(print (bitwise-or 1 2))

; error, status 70:
; foreign_name_lisp.lisp:2:9: unbound variable: bitwise-or
;   2 | (print (bitwise-or 1 2))
;     |         ^^^^^^^^^^
; hint: write (bitwise-ior a b)
