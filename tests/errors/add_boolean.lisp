; A boolean is no number.
(print (+ 1 #t))

; error, status 70:
; add_boolean.lisp:2:8: +: expected a number, got #t
;   2 | (print (+ 1 #t))
;     |        ^^^^^^^^
