; A keyword at the end, with nothing after it.
(define (scale x :by 2) (* x by))
(print (scale 1 :by))
