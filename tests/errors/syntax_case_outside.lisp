; Identifiers of an expansion exist only within it.
(print (syntax->datum 'a))

; error, status 70:
; syntax_case_outside.lisp:2:8: syntax->datum: called outside of the procedure of a macro
;   2 | (print (syntax->datum 'a))
;     |        ^^^^^^^^^^^^^^^^^^
