(tensor-item 5)

; error, status 70:
; literal_for_tensor.lisp:1:1: tensor-item: expected a tensor, got 5
;   1 | (tensor-item 5)
;     | ^^^^^^^^^^^^^^^
