; An index that no vector has.
(print (vector-ref (vector 1 2) -1))

; error, status 70:
; vector_index_negative.lisp:2:8: vector-ref: expected a non-negative exact integer, got -1
;   2 | (print (vector-ref (vector 1 2) -1))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: indices count from 0 at the start; the last one is the length less 1
