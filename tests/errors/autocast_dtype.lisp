; Autocast works in dtypes of 16 bits.
(with-autocast 'float32 (tensor-ones 2 3))

; error, status 70:
; autocast_dtype.lisp:2:1: with-autocast: expected 'bfloat16, 'float16 or #f, got float32
;   2 | (with-autocast 'float32 (tensor-ones 2 3))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: with #f, operators compute in the dtypes of their arguments
