; The vector and the matrix are exchanged.
(define w (tensor-ones 2 3))
(tensor-mv (tensor-ones 3) w)

; error, status 70:
; mv_ranks.lisp:3:1: tensor-mv: expected a matrix and a vector, got ranks 1 and 2; given self float32 (3), vec float32 (2 3)
;   3 | (tensor-mv (tensor-ones 3) w)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: the matrix comes first
