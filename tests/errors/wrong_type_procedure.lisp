; A procedure where a number should be.
(print (sqrt car))

; error, status 70:
; wrong_type_procedure.lisp:2:8: sqrt: expected a number, got a procedure
;   2 | (print (sqrt car))
;     |        ^^^^^^^^^^
