; A cache records no gradients.
(define k (requires-grad! (tensor-ones 1 1 1 4)))
(define cos (tensor-ones 1 2))
(tensor-rotary-write! (tensor-zeros 1 1 8 4) (tensor-zeros 1 1 8 4) k k k
                      cos cos 0)

; error, status 70:
; rotary_write_gradient.lisp:4:1: tensor-rotary-write!: what is written into a cache records no gradients, but an argument requires grad
;   4 | (tensor-rotary-write! (tensor-zeros 1 1 8 4) (tensor-zeros 1 1 8 4) k k k
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: use (inference-mode ...) or (no-grad ...), or attention without a cache
