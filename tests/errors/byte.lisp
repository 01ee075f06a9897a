; A byte has eight bits.
(print (bytevector 255 256))

; error, status 70:
; byte.lisp:2:8: bytevector: expected a byte, got 256
;   2 | (print (bytevector 255 256))
;     |        ^^^^^^^^^^^^^^^^^^^^
