; LibTorch has the operator for other sorts of tensors only.
(print (tensor-private--coalesce (tensor-ones 2)))

; error, status 70:
; tensor_no_kernel.lisp:2:8: tensor-private--coalesce: LibTorch has this operator, but not for dense tensors on cpu; given self float32 (2)
;   2 | (print (tensor-private--coalesce (tensor-ones 2)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: it takes sparse tensors
