; PyTorch's keyword for what has a name of its own here.
(print (tensor-relu [1.0] :inplace #t))

; error, status 70:
; pytorch_inplace.lisp:2:8: tensor-relu: unknown keyword :inplace
;   2 | (print (tensor-relu [1.0] :inplace #t))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: tensor-relu! works in place
