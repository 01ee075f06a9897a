; Elements that do not fit.
(print (tensor-reshape (tensor-ones 2 3) 4 2))

; error, status 70:
; tensor_reshape.lisp:2:8: tensor-reshape: 6 elements do not fit shape (4 2); given self float32 (2 3), shape (4 2)
;   2 | (print (tensor-reshape (tensor-ones 2 3) 4 2))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
