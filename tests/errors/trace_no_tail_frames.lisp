; A call in tail position leaves no frame.
(define (inner x) (vector-ref (vector) x))
(define (middle x) (inner x))
(define (outer x) (+ 1 (middle x)))
(print (outer 0))
