(with-exception-handler 5 (lambda () 1))

; error, status 70:
; handler_no_procedure.lisp:1:1: with-exception-handler: expected a procedure, got 5
;   1 | (with-exception-handler 5 (lambda () 1))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
