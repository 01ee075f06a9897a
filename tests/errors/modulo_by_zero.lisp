; So for the integer divisions.
(print (modulo 5 0))

; error, status 70:
; modulo_by_zero.lisp:2:8: modulo: division by zero
;   2 | (print (modulo 5 0))
;     |        ^^^^^^^^^^^^
