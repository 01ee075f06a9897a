; The hint shows the argument to convert as it was written.
(define weights [[1 2] [3 4] [5 6]])
(print (@ [[1.0 2.0 3.0]] weights))

; error, status 70:
; tensor_dtypes_differ.lisp:3:8: tensor-matmul: dtypes differ: float32 and int64; given self float32 (1 3), other int64 (3 2)
;   3 | (print (@ [[1.0 2.0 3.0]] weights))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-to weights 'float32)
