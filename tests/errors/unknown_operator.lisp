; An operator that LibTorch does not have.
(print (tensor-sofmax [1.0 2.0] 0))

; error, status 70:
; unknown_operator.lisp:2:9: unknown operator: tensor-sofmax
;   2 | (print (tensor-sofmax [1.0 2.0] 0))
;     |         ^^^^^^^^^^^^^
; hint: did you mean tensor-softmax?
