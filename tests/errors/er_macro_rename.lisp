; rename takes a symbol.
(define-syntax one (er-macro-transformer (lambda (form rename compare) (rename 5))))
(one)

; error, status 65:
; er_macro_rename.lisp:3:1: rename: expected a symbol, got 5
;   3 | (one)
;     | ^^^^^
;   in the expansion of one
