; An index within a tensor of indices.
(print (tensor-gather (tensor-ones 2 3) 0 [[0 1 2]]))

; error, status 70:
; tensor_gather_index.lisp:2:8: tensor-gather: index 2 is out of range for dim 0 of size 2; given self float32 (2 3), dim 0, index int64 (1 3)
;   2 | (print (tensor-gather (tensor-ones 2 3) 0 [[0 1 2]]))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
