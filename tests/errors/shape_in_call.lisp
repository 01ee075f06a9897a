; A shape mismatch inside a function called from a function: place, shapes, and the way there.
(define (layer a b)
  (tensor-relu
   (tensor-matmul a b)))

(define (train x)
  (list (layer x x)))

(print "before")
(print (train [[1.0 2.0 3.0] [4.0 5.0 6.0]]))
(print "never")
