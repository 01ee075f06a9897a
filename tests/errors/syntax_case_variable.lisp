; A variable of a pattern has no value of its own.
(define-syntax twice
  (lambda (form)
    (syntax-case form () ((_ a) (list 'list a a)))))
(print (twice 5))

; error, status 65:
; syntax_case_variable.lisp:4:45: a is a variable of a pattern, not a value
;   4 |     (syntax-case form () ((_ a) (list 'list a a)))))
;     |                                             ^
; hint: write #'a
