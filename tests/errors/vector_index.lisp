; An index past the end.
(define v (vector 1 2 3))
(print (vector-ref v 3))
