; More directives than arguments.
(print (format "~a and ~s" 1))

; error, status 70:
; format_too_few.lisp:2:8: format: no argument is left for ~s
;   2 | (print (format "~a and ~s" 1))
;     |        ^^^^^^^^^^^^^^^^^^^^^^
