; A list of tensors: the message tells which do not go together, and what all of them are.
(print (tensor-cat (list (tensor-ones 2 3) (tensor-ones 2 4)) 0))

; error, status 70:
; tensor_cat_sizes.lisp:2:8: tensor-cat: sizes differ outside dim 0: tensor 0 has 3, tensor 1 has 4; given tensors (float32 (2 3), float32 (2 4))
;   2 | (print (tensor-cat (list (tensor-ones 2 3) (tensor-ones 2 4)) 0))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
