; Arguments by keyword, in another order: the hint quotes the right one.
(define a (tensor-ones 2 3))
(define i [[1] [2] [3]])
(print (tensor-matmul :other i :self a))

; error, status 70:
; tensor_dtypes_by_keyword.lisp:4:8: tensor-matmul: dtypes differ: float32 and int64; given self float32 (2 3), other int64 (3 1)
;   4 | (print (tensor-matmul :other i :self a))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (tensor-to i 'float32)
