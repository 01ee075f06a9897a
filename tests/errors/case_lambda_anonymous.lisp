; A procedure without a name, and one clause.
(print (map (case-lambda ((x y) x)) '(1 2)))

; error, status 70:
; case_lambda_anonymous.lisp:2:8: lambda: expected 2 arguments, got 1
;   2 | (print (map (case-lambda ((x y) x)) '(1 2)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (lambda x y)
