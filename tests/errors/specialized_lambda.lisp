; An error in a lambda that is given to a copied procedure, within another one.
(define (rows table)
  (map (lambda (row)
         (fold (lambda (x sum) (+ sum (car x))) 0 row))
       table))
(print (rows '(((1) (2)) ((3)))))  ; => (3 3)
(rows '(((1)) (4)))

; error, status 70:
; specialized_lambda.lisp:4:39: car: expected a pair, got 4
;   4 |          (fold (lambda (x sum) (+ sum (car x))) 0 row))
;     |                                       ^^^^^^^
;   in lambda, called at specialized_lambda.lisp:7:1
