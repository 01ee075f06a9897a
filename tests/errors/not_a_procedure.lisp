; A call of something that is no procedure.
(define five 5)
(print (five 1 2))

; error, status 70:
; not_a_procedure.lisp:3:8: not a procedure: 5
;   3 | (print (five 1 2))
;     |        ^^^^^^^^^^
; hint: the procedure comes first, as in (+ 1 2); write (list 1 2) for a list, x, not (x), for a variable's value
