; Its place is the procedure of a macro.
(print (syntax-case '(1 2) () ((a b) #'a)))

; error, status 65:
; syntax_case_place.lisp:2:8: syntax-case: expected in the procedure of a macro
;   2 | (print (syntax-case '(1 2) () ((a b) #'a)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (define-syntax name (lambda (form) (syntax-case form () ...)))
