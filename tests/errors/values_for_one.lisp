; Several values where one is wanted are no number.
(print (+ 1 (values 2 3)))

; error, status 70:
; values_for_one.lisp:2:8: +: expected a number, got #<values 2 3>
;   2 | (print (+ 1 (values 2 3)))
;     |        ^^^^^^^^^^^^^^^^^^
