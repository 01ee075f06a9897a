; A dim that the tensor does not have, in a procedure: what there are, and the way there.
(define (normalize x)
  (+ (tensor-softmax x 2) 0))

(define (run)
  (list (normalize (tensor-ones 2 3))))

(run)

; error, status 70:
; tensor_dim_range.lisp:3:6: tensor-softmax: dim 2 is out of range for a tensor of rank 2; given self float32 (2 3), dim 2
;   3 |   (+ (tensor-softmax x 2) 0))
;     |      ^^^^^^^^^^^^^^^^^^^^
; hint: dims go from -2 to 1
;   in normalize, called at tensor_dim_range.lisp:6:9
;   in run, called at tensor_dim_range.lisp:8:1
