; The loss of a distance of one's own asks only for what PyTorch asks for.
(define a (tensor '((1.0 2.0) (0.0 1.0))))
(define p (tensor '((2.0 2.0) (0.0 1.0))))
(define n (tensor '((4.0 4.0) (0.0 2.0))))
(define (said thunk) (guard (e (#t (error-object-message e))) (thunk)))
(print (triplet-margin-with-distance-loss a p n :margin 2.0 :reduction 'none))  ; => [0.0 1.0]
(print (tensor-triplet-margin-with-distance-loss a p n :margin 3.0))  ; => 1.1972
(define i (tensor '((1 2))))
(print (tensor-triplet-margin-with-distance-loss i i i))  ; => 1.0
(print (triplet-margin-with-distance-loss
        (tensor '(1 5)) (tensor '(2 5)) (tensor '(9 9))
        :distance-function (lambda (x y) (tensor-to (tensor-abs (- x y)) 'float32))))  ; => 0.0
(print (triplet-margin-with-distance-loss a (tensor-slice p 0 0 1) n))  ; => 1.118
(print (said (lambda () (triplet-margin-with-distance-loss a p n :margin -1.0))))
; => triplet-margin-with-distance-loss: expected a margin greater than 0, got
(print (said (lambda () (tensor-triplet-margin-with-distance-loss a p n :margin 0))))
; => triplet-margin-with-distance-loss: expected a margin greater than 0, got
(print (said (lambda () (triplet-margin-with-distance-loss a (tensor '(1.0 2.0)) n))))
; => triplet-margin-with-distance-loss: expected positive of the rank of anchor (2 2), got shape
