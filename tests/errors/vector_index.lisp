; An index past the end.
(define v (vector 1 2 3))
(print (vector-ref v 3))

; error, status 70:
; vector_index.lisp:3:8: vector-ref: index 3 is out of range for length 3
;   3 | (print (vector-ref v 3))
;     |        ^^^^^^^^^^^^^^^^
