; An accessor of accessors.
(print (cadr '(1)))

; error, status 70:
; cadr_of_short_list.lisp:2:8: cadr: expected a pair, got ()
;   2 | (print (cadr '(1)))
;     |        ^^^^^^^^^^^
