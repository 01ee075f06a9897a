; A mask of numbers.
(print (tensor-masked-fill [1.0 2.0] [0 1] 0))

; error, status 70:
; tensor_mask.lisp:2:8: tensor-masked-fill: expected dtype bool for mask, got int64; given self float32 (2), mask int64 (2), value 0
;   2 | (print (tensor-masked-fill [1.0 2.0] [0 1] 0))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-to [0 1] 'bool)
