; Recursion without end is an error with a folded trace, not a crash.
(define (forever n) (+ 1 (forever (+ n 1))))
(print (forever 0))
