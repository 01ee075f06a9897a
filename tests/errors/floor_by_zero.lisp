; A library procedure's error is its caller's, under its own name.
(define (halves n d) (let-values (((q r) (floor/ n d))) (list q r)))
(halves 5 0.0)
(print "not reached")

; error, status 70:
; floor_by_zero.lisp:2:42: floor/: division by zero
;   2 | (define (halves n d) (let-values (((q r) (floor/ n d))) (list q r)))
;     |                                          ^^^^^^^^^^^^
;   in halves, called at floor_by_zero.lisp:3:1
