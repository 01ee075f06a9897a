; Through apply.
(define arguments (list (tensor-ones 2 3) (tensor-ones 2)))
(print (apply tensor-mul arguments))

; error, status 70:
; tensor_applied.lisp:3:8: tensor-mul: shapes (2 3) and (2) do not broadcast
;   3 | (print (apply tensor-mul arguments))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-reshape other 2 1) has shape (2 1)
