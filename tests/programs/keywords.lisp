; Keyword parameters: defaults see earlier parameters, calls may name them in any order.
(define (f x :dim -1 :keep #f) (list x dim keep))
(print (f 1) (f 1 :keep #t) (f 1 :dim 2 :keep 'k) (f 1 :keep 1 :dim 0)) ; => (1 -1 #f) (1 -1 #t) (1 2 k) (1 0 1)
(define (g a :b (* a 10) :c (+ a b)) (list a b c))
(print (g 1) (g 1 :b 2) (g 1 :c 0))               ; => (1 10 11) (1 2 3) (1 10 0)
(define (h :verbose #f . rest) (list verbose rest))
(print (h) (h 1 2) (h :verbose #t 1 2))           ; => (#f ()) (#f (1 2)) (#t (1 2))
(define k (lambda (x :scale 2) (* x scale)))
(print (k 3) (k 3 :scale 5))                      ; => 6 15
(print (apply f 1 '(:keep yes)) (apply k (list 4 :scale 3))) ; => (1 -1 yes) 12
(define (plain x) x)
(print (plain :word))                             ; => :word
(print (list :a 1 :b) (keyword? :a) (keyword? 'a) (eq? :a :a)) ; => (:a 1 :b) #t #f #t
(define (counted :n (begin (display "default ") 1)) n)
(print (counted :n 5) (counted))                  ; => default 5 1
(define (inner x :y 1) (define z (+ x y)) (* z 2))
(print (inner 1) (inner 1 :y 9))                  ; => 4 20
