; eq?, eqv?, equal?: numbers, characters, strings, procedures, data of any depth, circles.
(print (eqv? 'a 'a) (eqv? 'a 'b) (eqv? 2 2) (eqv? '() '()) (eqv? 100000000000000000000 100000000000000000000)) ; => #t #f #t #t #t
(print (eqv? 0.0 +nan.0) (eqv? 0.0 -0.0) (eqv? 2 2.0) (eqv? 1/2 1/2) (eqv? +nan.0 +nan.0))  ; => #f #f #f #t #t
(print (eqv? (cons 1 2) (cons 1 2)) (eqv? (lambda () 1) (lambda () 2)) (eqv? #f '()) (eqv? "" "a")) ; => #f #f #f #f
(print (let ((p (lambda (x) x))) (eqv? p p)) (let ((x '(a))) (eq? x x)) (eq? car car) (eq? 'x 'X)) ; => #t #t #t #f
(print (eq? #\a #\a) (eq? '() '()) (eq? (list 'a) (list 'a)) (eq? "ab" "ba") (eq? :k :k) (eq? #t #t)) ; => #t #t #f #f #t #t
(print (equal? '(a (b) c) '(a (b) c)) (equal? "abc" "abc") (equal? 2 2) (equal? 2 2.0) (equal? 1.5 1.5)) ; => #t #t #t #f #t
(print (equal? (make-vector 5 'a) (make-vector 5 'a)) (equal? #(1 2 (3)) (vector 1 2 (list 3))) (equal? #(1) #(1 2))) ; => #t #t #f
(print (equal? '() #()) (equal? '(1 2) '(1 . 2)) (equal? '(1 2 3) '(1 2)) (equal? "a" 'a) (equal? #\a "a")) ; => #f #f #f #f #f
(print (equal? #(#(1) (2 #(3))) (list->vector (list (vector 1) (list 2 (vector 3)))))) ; => #t
(print (equal? '#((a . (b)) (c . #(1))) '#((a b) (c . #(1 2)))) (equal? (list 1 '#(2 "x" #\y 1/3)) (list 1 (vector 2 "x" #\y 1/3)))) ; => #f #t
; Depth takes no stack.
(define (nest n v) (let loop ((i 0) (v v)) (if (= i n) v (loop (+ i 1) (list v)))))
(define (nest-vector n v) (let loop ((i 0) (v v)) (if (= i n) v (loop (+ i 1) (vector i v)))))
(print (equal? (nest 300000 'x) (nest 300000 'x)) (equal? (nest 300000 'x) (nest 300000 'y)))  ; => #t #f
(print (equal? (nest-vector 100000 1) (nest-vector 100000 1)) (equal? (nest-vector 50000 1) (nest-vector 50000 2)))  ; => #t #f
(print (equal? (iota 200000) (iota 200000)) (equal? (make-vector 100000 "s") (make-vector 100000 (string #\s)))) ; => #t #t
; Circles end.
(define (ring . items)
  (let ((l (list-copy items)))
    (set-cdr! (last-pair l) l)
    l))
(define (break! ring) (set-cdr! ring '()))
(define a (ring 1 2))
(define b (ring 1 2 1 2))
(define c (ring 1 2 3))
(print (equal? a b) (equal? a c) (equal? a (cdr a)) (equal? a (cddr a))) ; => #t #f #f #t
(define v (vector 1 #f))
(vector-set! v 1 v)
(define w (vector 1 (vector 1 #f)))
(vector-set! (vector-ref w 1) 1 w)
(print (equal? v w) (equal? v (vector 1 v)) (equal? v (vector 2 v)))  ; => #t #t #f
(print (hash-ref (hash-table a 'round) a))             ; => round
(for-each break! (list a b c))
(vector-set! v 1 #f)
(vector-set! (vector-ref w 1) 1 #f)
