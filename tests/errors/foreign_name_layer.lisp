; A layer by its name in PyTorch.
(define c (nn.Conv2d 3 8 3))

; error, status 70:
; foreign_name_layer.lisp:2:12: unbound variable: nn.Conv2d
;   2 | (define c (nn.Conv2d 3 8 3))
;     |            ^^^^^^^^^
; hint: write (conv2d in-channels out-channels kernel-size :stride 1 :padding 0)
