; free-identifier=? compares identifiers.
(define-syntax one (lambda (form) (syntax-case form () ((_ x) (free-identifier=? #'x #'1)))))
(print (one y))

; error, status 65:
; syntax_case_identifier.lisp:3:8: free-identifier=?: expected an identifier, got 1
;   3 | (print (one y))
;     |        ^^^^^^^
;   in the expansion of one
