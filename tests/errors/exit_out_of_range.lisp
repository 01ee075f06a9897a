(define failures 256)
(exit failures)

; error, status 70:
; exit_out_of_range.lisp:2:1: exit: expected #t, #f or an integer from 0 to 255, got 256
;   2 | (exit failures)
;     | ^^^^^^^^^^^^^^^
