; The second of the tensors has nothing to do with the result.
(define w (requires-grad! [1.0 2.0]))
(define v (requires-grad! [3.0]))
(define y (tensor-sum w))
(gradients y (list w v))

; error, status 70:
; gradients_unused.lisp:5:1: gradients: the tensor at index 1 was not used in the computation
;   5 | (gradients y (list w v))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^
; hint: with :allow-unused #t the gradient in v is #f
