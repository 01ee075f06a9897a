; A clause has a pattern and a value.
(define-syntax one (lambda (form) (syntax-case form () ((_ x)))))
(print (one y))

; error, status 65:
; syntax_case_clause.lisp:2:56: syntax-case: expected (pattern value) or (pattern fender value)
;   2 | (define-syntax one (lambda (form) (syntax-case form () ((_ x)))))
;     |                                                        ^^^^^^^
