; LibTorch's message names addmv, and the dtype of a result that nobody gave.
(print (guard (e (#t (error-object-message e))) (tensor-mv [[1.0 2.0]] [1 2])))
(tensor-matmul [[1.0 2.0]] [1 2])

; error, status 70:
; matrix_times_vector_dtypes.lisp:3:1: tensor-matmul: dtypes differ; given self float32 (1 2), other int64 (2)
;   3 | (tensor-matmul [[1.0 2.0]] [1 2])
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-to [1 2] 'float32)
