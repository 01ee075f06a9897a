; No pattern matches.
(define-syntax pair-of
  (lambda (form)
    (syntax-case form () ((_ a b) #'(cons a b)))))
(print (pair-of 1 2))
(print (pair-of 1))

; error, status 65:
; syntax_case_match.lisp:6:8: pair-of: no pattern matches (pair-of 1)
;   6 | (print (pair-of 1))
;     |        ^^^^^^^^^^^
