; Exact division by zero; the trace stops at the top level.
(define (ratio a b) (/ a b))
(print (list (ratio 1 0)))
