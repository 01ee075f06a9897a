; It belongs into a quasisyntax.
(define-syntax one (lambda (form) (syntax-case form () ((_ x) #,(+ 1 2)))))
(print (one 1))

; error, status 65:
; unsyntax_place.lisp:2:63: unsyntax: expected inside a quasisyntax
;   2 | (define-syntax one (lambda (form) (syntax-case form () ((_ x) #,(+ 1 2)))))
;     |                                                               ^^^^^^^^^
