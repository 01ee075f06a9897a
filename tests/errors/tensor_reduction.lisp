; Reductions go by name.
(print (tensor-mse-loss [1.0] [2.0] "average"))

; error, status 70:
; tensor_reduction.lisp:2:8: tensor-mse-loss: expected "none", "mean" or "sum" for reduction, got "average"
;   2 | (print (tensor-mse-loss [1.0] [2.0] "average"))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (tensor-mse-loss self target [reduction])
;   or (tensor-mse-loss input target [:reduction 1] :weight weight): expected 2 arguments, got 3
