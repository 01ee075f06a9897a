; case-lambda: the first clause that takes so many arguments.
(define range*
  (case-lambda
    ((e) (range* 0 e))
    ((b e) (do ((r '() (cons e r)) (e (- e 1) (- e 1))) ((< e b) r)))))
(print (range* 3) (range* 3 5))                       ; => (0 1 2) (3 4)
(define f
  (case-lambda
    (() 'none)
    ((x) (define y (* 2 x)) (list 'one y))
    ((x y . more) (list 'more x y more))
    (all 'never)))
(print (f) (f 1) (f 1 2) (f 1 2 3 4) (apply f '(7 8 9))) ; => none (one 2) (more 1 2 ()) (more 1 2 (3 4)) (more 7 8 (9))
(print f (procedure? f))                              ; => #<procedure f> #t
(print ((case-lambda ((a b) (+ a b)) (all all)) 1 2) ((case-lambda ((a b) (+ a b)) (all all)) 1)) ; => 3 (1)
(print (map (case-lambda ((x) (- x)) ((x y) (* x y))) '(1 2) '(3 4))) ; => (3 8)
(define (counter)
  (define n 0)
  (case-lambda (() (set! n (+ n 1)) n) ((k) (set! n k) n)))
(define c (counter))
(c) (c)
(print (c) (c 10) (c))                                ; => 3 10 11
(define (plus k) (case-lambda ((a) (+ a k)) ((a b) (+ a b k))))
(print ((plus 1) 1) ((plus 1) 1 2))                   ; => 2 4
(define spin (case-lambda ((n) (spin n 0)) ((n acc) (if (= n 0) acc (spin (- n 1) (+ acc n))))))
(print (spin 100000))                                 ; => 5000050000
