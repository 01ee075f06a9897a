; A keyword given twice.
(define (scale x :by 2) (* x by))
(print (scale 1 :by 3 :by 4))
