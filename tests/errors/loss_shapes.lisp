; A column of predictions and a row of targets would broadcast to a matrix.
(mse-loss (tensor-ones 4 1) (tensor-ones 4))

; error, status 70:
; loss_shapes.lisp:2:1: mse-loss: predictions (4 1) and targets (4) differ in shape
;   2 | (mse-loss (tensor-ones 4 1) (tensor-ones 4))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-squeeze predictions -1) has shape (4)
