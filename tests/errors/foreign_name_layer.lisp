; A layer of PyTorch's that does not exist here.
(define c (nn.Conv2d 3 8 3))

; error, status 70:
; foreign_name_layer.lisp:2:12: unbound variable: nn.Conv2d
;   2 | (define c (nn.Conv2d 3 8 3))
;     |            ^^^^^^^^^
; hint: write (tensor-conv2d x weight bias) with weights of your own: no such layer exists yet
