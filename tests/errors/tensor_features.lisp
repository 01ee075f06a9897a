; A layer's weight that is made for other features.
(define (layer x w b)
  (tensor-relu (tensor-linear x w b)))
(print (layer (tensor-ones 5 3) (tensor-ones 4 2) (tensor-ones 4)))

; error, status 70:
; tensor_features.lisp:3:16: tensor-linear: input (5 3) has 3 features, weight (4 2) takes 2; given input float32 (5 3), weight float32 (4 2), bias float32 (4)
;   3 |   (tensor-relu (tensor-linear x w b)))
;     |                ^^^^^^^^^^^^^^^^^^^^^
;   in layer, called at tensor_features.lisp:4:8
