; The same parameter twice.
(define f (lambda (x x) x))

; error, status 65:
; bad_lambda.lisp:2:11: the parameter x appears twice
;   2 | (define f (lambda (x x) x))
;     |           ^^^^^^^^^^^^^^^^
