; A change in place cannot change the dtype.
(define counts [1 2 3])
(tensor-mul! counts 0.5)

; error, status 70:
; tensor_in_place_dtype.lisp:3:1: tensor-mul!: cannot store a result of dtype float32 in a tensor of dtype int64; given self int64 (3), other 0.5
;   3 | (tensor-mul! counts 0.5)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^
