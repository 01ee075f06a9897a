; A macro of this kind is no value either.
(define-syntax pair-of
  (lambda (form)
    (syntax-case form () ((_ a b) #'(cons a b)))))
(print (map pair-of '(1 2) '(3 4)))

; error, status 65:
; syntax_case_value.lisp:5:13: pair-of is a macro, not a value
;   5 | (print (map pair-of '(1 2) '(3 4)))
;     |             ^^^^^^^
; hint: no pattern matches its name alone
