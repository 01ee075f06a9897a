; An error leaves a no-grad body: all that was live is given back.
(define w (requires-grad! [1.0 2.0]))
(define (broken x) (no-grad (let ((y (* x 2))) (tensor-matmul [[1.0]] (list y)))))
(broken w)
