; The procedure does not see the program's definitions.
(define (helper x) x)
(define-syntax one
  (er-macro-transformer (lambda (form rename compare) (helper form))))
(print (one 2))

; error, status 65:
; er_macro_program.lisp:5:8: unbound variable: helper
;   5 | (print (one 2))
;     |        ^^^^^^^
; hint: a macro's procedure runs before the program, and sees only the library
;   in the expansion of one
