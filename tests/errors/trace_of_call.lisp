; trace takes a name; a call in its place is not set! to anything.
(define (f x) x)
(trace (f 1))

; error, status 65:
; trace_of_call.lisp:3:1: trace: expected the name of a procedure, got (f 1)
;   3 | (trace (f 1))
;     | ^^^^^^^^^^^^^
