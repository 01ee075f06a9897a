; A keyword that the procedure does not take.
(define (scale x :by 2) (* x by))
(print (scale 1 :bi 3))
