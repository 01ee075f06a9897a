; Only floating-point numbers change a little.
(define n [1 2])
(requires-grad! n)

; error, status 70:
; requires_grad_of_integers.lisp:3:1: requires-grad!: only tensors of floating-point numbers have gradients, got a tensor int64 (2)
;   3 | (requires-grad! n)
;     | ^^^^^^^^^^^^^^^^^^
; hint: convert it: (tensor-to n 'float32)
