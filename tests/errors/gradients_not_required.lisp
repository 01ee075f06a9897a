; The second of the tensors requires no gradient.
(define w (requires-grad! [1.0 2.0]))
(define v [1.0 2.0])
(gradients (tensor-sum (* w v)) (list w v))

; error, status 70:
; gradients_not_required.lisp:4:1: gradients: the tensor at index 1 does not require grad
;   4 | (gradients (tensor-sum (* w v)) (list w v))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (requires-grad! v) before the computation
