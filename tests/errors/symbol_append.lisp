; symbol-append takes symbols.
(print (symbol-append 'a "b"))

; error, status 70:
; symbol_append.lisp:2:8: symbol-append: expected a symbol, got "b"
;   2 | (print (symbol-append 'a "b"))
;     |        ^^^^^^^^^^^^^^^^^^^^^^
