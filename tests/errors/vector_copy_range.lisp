; There is no room for what is copied.
(vector-copy! (vector 1 2 3) 2 #(1 2 3) 1)

; error, status 70:
; vector_copy_range.lisp:2:1: vector-copy!: index 4 is out of range for length 3
;   2 | (vector-copy! (vector 1 2 3) 2 #(1 2 3) 1)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
