; 0.0 divides, an exact zero does not.
(print (/ 1 0.0))   ; => +inf.0
(/ 1.0 0)

; error, status 70:
; divide_double_by_exact_zero.lisp:3:1: /: division by zero
;   3 | (/ 1.0 0)
;     | ^^^^^^^^^
