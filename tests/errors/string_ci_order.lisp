; A library procedure names itself.
(print (string-ci=? "a" "A" 'a))

; error, status 70:
; string_ci_order.lisp:2:8: string-ci=?: expected a string, got a
;   2 | (print (string-ci=? "a" "A" 'a))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^
