; A convolution's weight that is made for other images.
(define image (tensor-ones 1 3 8 8))
(print (tensor-conv2d image (tensor-ones 4 2 3 3) :padding 1))

; error, status 70:
; tensor_channels.lisp:3:8: tensor-conv2d: input (1 3 8 8) has 3 channels, weight (4 2 3 3) with groups 1 takes 2
;   3 | (print (tensor-conv2d image (tensor-ones 4 2 3 3) :padding 1))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
