; The empty combination.
(print ())

; error, status 65:
; empty_call.lisp:2:8: expected an expression, got ()
;   2 | (print ())
;     |        ^^
; hint: '() is the empty list
