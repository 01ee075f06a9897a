; Circular data are constants, never code.
(print '#0=(a . #0#))
(print #1=(car #1#))

; error, status 65:
; circular_code.lisp:3:8: a circular datum can only be quoted
;   3 | (print #1=(car #1#))
;     |        ^^^^^^^^^^^^
