; Equal frames fold.
(define (down n) (if (= n 0) (car '()) (+ 1 (down (- n 1)))))
(define (start) (+ 1 (down 5)))
(print (start))
