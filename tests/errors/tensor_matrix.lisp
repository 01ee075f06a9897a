; What LibTorch says at length comes in Lisp's words.
(print (tensor-grid-sampler (tensor-ones 1 1 4 4) (tensor-ones 1 2 2 3) 0 0 #f))

; error, status 70:
; tensor_matrix.lisp:2:8: tensor-grid-sampler: expected grid to have size 2 in last dimension, but got grid with sizes (1 2 2 3); given input float32 (1 1 4 4), grid float32 (1 2 2 3), interpolation-mode 0, padding-mode 0, align-corners #f
;   2 | (print (tensor-grid-sampler (tensor-ones 1 1 4 4) (tensor-ones 1 2 2 3) 0 0 #f))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
