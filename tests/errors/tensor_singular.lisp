; A matrix without an inverse.
(print (tensor-linalg-inv (tensor-ones 2 2)))

; error, status 70:
; tensor_singular.lisp:2:8: tensor-linalg-inv: the matrix is singular; given A float32 (2 2)
;   2 | (print (tensor-linalg-inv (tensor-ones 2 2)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
