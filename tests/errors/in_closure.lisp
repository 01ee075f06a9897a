; A trace through anonymous procedures.
(define (make x) (lambda (y) (+ x (car y))))
(define f (make 1))
(print (list (f 5)))
