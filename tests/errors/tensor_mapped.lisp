; An operator as a value: the place is the call that passes it.
(print (map tensor-log-softmax (list (tensor-ones 2)) (list 1)))

; error, status 70:
; tensor_mapped.lisp:2:8: tensor-log-softmax: dim 1 is out of range for a tensor of rank 1; given self float32 (2), dim 1
;   2 | (print (map tensor-log-softmax (list (tensor-ones 2)) (list 1)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: dims go from -1 to 0
