; Which operators return their argument itself where there is nothing to do, and which a new tensor: as in PyTorch.
(define x (tensor-ones 2 2))
(define row (tensor-ones 3))
(define whole [1 2])
(define (itself? make) (map (lambda (x) (eq? x (make x))) (list x row)))
(print (map itself? (list (lambda (x) (tensor-to x 'float32)) (lambda (x) (tensor-to x "cpu")) (lambda (x) (tensor-to x row)) tensor-float (lambda (x) (tensor-type x 'float32)) (lambda (x) (tensor-type-as x x)) tensor-contiguous tensor-as-tensor))) ; => ((#t #t) (#t #t) (#t #t) (#t #t) (#t #t) (#t #t) (#t #t) (#t #t))
(print (map itself? (list tensor-real tensor-resolve-conj tensor-resolve-neg tensor-conj tensor-positive tensor-atleast-1d (lambda (x) (tensor-dropout x 0.5 #f)) tensor-alpha-dropout tensor-to-dense))) ; => ((#t #t) (#t #t) (#t #t) (#t #t) (#t #t) (#t #t) (#t #t) (#t #t) (#t #t))
(print (itself? tensor-flatten) (itself? (lambda (x) (car (tensor-broadcast-tensors (list x x)))))) ; => (#f #t) (#t #t)
(print (map itself? (list (lambda (x) (tensor-reshape x (tensor-shape x))) (lambda (x) (tensor-view x (tensor-shape x))) (lambda (x) (tensor-view-as x x)) (lambda (x) (tensor-expand x (tensor-shape x))) (lambda (x) (tensor-expand-as x x)) tensor-squeeze tensor-detach detach tensor-alias))) ; => ((#f #f) (#f #f) (#f #f) (#f #f) (#f #f) (#f #f) (#f #f) (#f #f) (#f #f))
(print (map itself? (list (lambda (x) (tensor-slice x 0)) (lambda (x) (tensor-ref x)) (lambda (x) (tensor-ref x :all)) (lambda (x) (tensor-ref x :ellipsis)) (lambda (x) (tensor-transpose x 0 0)) (lambda (x) (tensor-narrow x 0 0 2)) tensor-copy tensor-ravel tensor-relu))) ; => ((#f #f) (#f #f) (#f #f) (#f #f) (#f #f) (#f #f) (#f #f) (#f #f) (#f #f))
(print (map (lambda (make) (eq? whole (make whole))) (list tensor-floor tensor-round tensor-abs tensor-sum tensor-long))) ; => (#f #f #f #f #t)
; A new tensor of the same elements has a shape of its own.
(print (map (lambda (make) (let ((y (make x))) (tensor-unsqueeze! y 0) (list (tensor-shape x) (tensor-shape y)))) (list (lambda (x) (tensor-ref x :all)) (lambda (x) (tensor-view x 2 2)) tensor-alias detach))) ; => (((2 2) (1 2 2)) ((2 2) (1 2 2)) ((2 2) (1 2 2)) ((2 2) (1 2 2)))
