; An anonymous procedure called with nothing.
(print ((lambda (x) x)))

; error, status 70:
; arity_lambda.lisp:2:8: lambda: expected 1 argument, got 0
;   2 | (print ((lambda (x) x)))
;     |        ^^^^^^^^^^^^^^^^
; hint: usage: (lambda x)
