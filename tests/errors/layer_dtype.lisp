; The hint names the parameter where the call is in the library.
(define m (sequential (linear 2 3) (relu)))
(m (tensor [1 2]))

; error, status 70:
; layer_dtype.lisp:3:1: tensor-linear: dtypes differ: int64 and float32; given input int64 (2), weight float32 (3 2), bias float32 (3)
;   3 | (m (tensor [1 2]))
;     | ^^^^^^^^^^^^^^^^^^
; hint: (tensor-to input 'float32)
;   in module 0 (linear)
