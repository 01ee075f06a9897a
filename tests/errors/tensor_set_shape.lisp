; The value must broadcast to its place.
(define x (tensor-zeros 2 3))
(tensor-set! x 0 [1 2])

; error, status 70:
; tensor_set_shape.lisp:3:1: tensor-set!: a value of shape (2) does not broadcast to (3)
;   3 | (tensor-set! x 0 [1 2])
;     | ^^^^^^^^^^^^^^^^^^^^^^^
