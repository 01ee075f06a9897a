; The reader names the bracket that is never closed.
(define (f x)
  (+ x 1)
(print (f 1))
