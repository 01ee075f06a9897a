; One operand, the procedure.
(define-syntax one (er-macro-transformer))

; error, status 65:
; er_macro_shape.lisp:2:20: one: expected (er-macro-transformer (lambda (form rename compare) body ...)), got (er-macro-transformer)
;   2 | (define-syntax one (er-macro-transformer))
;     |                    ^^^^^^^^^^^^^^^^^^^^^^
