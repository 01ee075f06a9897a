; More arguments than directives.
(print (format "~a" 1 2 3))

; error, status 70:
; format_too_many.lisp:2:8: format: the text uses 1 of 3 arguments
;   2 | (print (format "~a" 1 2 3))
;     |        ^^^^^^^^^^^^^^^^^^^
