(define (f x) x)
(trace f)
(untrace f 5)

; error, status 65:
; trace_of_number.lisp:3:1: untrace: expected the name of a procedure, got 5
;   3 | (untrace f 5)
;     | ^^^^^^^^^^^^^
