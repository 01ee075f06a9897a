; Reductions are numbers in LibTorch's schemas.
(print (tensor-mse-loss [1.0] [2.0] "mean"))

; error, status 70:
; tensor_reduction.lisp:2:8: tensor-mse-loss: expected 0 (none), 1 (mean) or 2 (sum) for reduction, got "mean"
;   2 | (print (tensor-mse-loss [1.0] [2.0] "mean"))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (tensor-mse-loss self target [reduction])
