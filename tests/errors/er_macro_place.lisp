; It belongs in a definition of a macro.
(print (er-macro-transformer (lambda (form rename compare) 1)))

; error, status 65:
; er_macro_place.lisp:2:8: er-macro-transformer: expected in a definition of a macro
;   2 | (print (er-macro-transformer (lambda (form rename compare) 1)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
