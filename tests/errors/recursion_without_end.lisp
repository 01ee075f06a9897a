; Recursion without end is an error with a folded trace, not a crash.
(define (forever n) (+ 1 (forever (+ n 1))))
(print (forever 0))

; error, status 70:
; recursion_without_end.lisp:2:26: recursion is too deep
;   2 | (define (forever n) (+ 1 (forever (+ n 1))))
;     |                          ^^^^^^^^^^^^^^^^^
; hint: does it end?
