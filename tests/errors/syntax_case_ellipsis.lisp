; The variable stands before an ellipsis in the pattern.
(define-syntax all
  (lambda (form)
    (syntax-case form () ((_ a ...) #'(list a)))))
(print (all 5))

; error, status 65:
; syntax_case_ellipsis.lisp:4:45: syntax: a is before 1 ellipsis in the pattern, but before no ellipsis in the template
;   4 |     (syntax-case form () ((_ a ...) #'(list a)))))
;     |                                             ^
