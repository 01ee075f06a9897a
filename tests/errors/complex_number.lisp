; Complex numbers are refused where they are read.
(print (+ 1+2i 1))

; error, status 65:
; complex_number.lisp:2:11: complex numbers are not supported: 1+2i
;   2 | (print (+ 1+2i 1))
;     |           ^^^^
