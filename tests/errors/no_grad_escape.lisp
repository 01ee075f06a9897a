; An error leaves a no-grad body: all that was live is given back.
(define w (requires-grad! [1.0 2.0]))
(define (broken x) (no-grad (let ((y (* x 2))) (tensor-matmul [[1.0]] (list y)))))
(broken w)

; error, status 70:
; no_grad_escape.lisp:3:48: tensor-matmul: expected a tensor for other, got ([2.0 4.0])
;   3 | (define (broken x) (no-grad (let ((y (* x 2))) (tensor-matmul [[1.0]] (list y)))))
;     |                                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (tensor-matmul self other)
;   in broken, called at no_grad_escape.lisp:4:1
