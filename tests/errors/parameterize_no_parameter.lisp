(define p (make-parameter 1))
(print (parameterize ((p 2)) (p)))
(parameterize ((p 3) (car 4)) (p))

; error, status 70:
; parameterize_no_parameter.lisp:3:1: parameterize: expected a parameter, got a procedure
;   3 | (parameterize ((p 3) (car 4)) (p))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
