;; 4.2.6: make-parameter and parameterize.

(define radix
  (make-parameter
   10
   (lambda (x)
     (if (and (exact-integer? x) (<= 2 x 16)) x (error "invalid radix" x)))))
(define (f n) (number->string n (radix)))
(print (f 12))  ; => 12
(print (parameterize ((radix 2)) (f 12)))  ; => 1100
(print (f 12))  ; => 12
(print (guard (e (#t (error-object-message e) )) (parameterize ((radix 'wrong)) (f 12))))
; => invalid radix
(print (procedure? radix) radix)  ; => #t #<procedure parameter>

;; Values go through the converter once, outside of the new ones; forms in order.
(define p (make-parameter 1 (lambda (x) (* 10 x))))
(define q (make-parameter 2))
(print (p) (q))  ; => 10 2
(print (parameterize ((p 3) (q (p))) (list (p) (q))))  ; => (30 10)
(print (parameterize ((q 5)) (parameterize ((q (+ (q) 1))) (list (q) (parameterize () (q))))))
; => (6 6)
(print (p) (q))  ; => 10 2
(print (parameterize ((q 1) (q 2)) (q)) (q))  ; => 2 2

;; A body with definitions, its values, closures that outlive it.
(print (parameterize ((q 7)) (define x (q)) (define (g) (* x (q))) (g)))  ; => 49
(call-with-values (lambda () (parameterize ((q 3)) (values (q) 4))) print)  ; => 3 4
(define later (parameterize ((q 'inside)) (lambda () (q))))
(print (later))  ; => 2

;; Whatever way it is left.
(print (call/cc (lambda (k) (parameterize ((q 8)) (k (q))))) (q))  ; => 8 2
(print (guard (e (#t (list e (q)))) (parameterize ((q 9)) (raise (q)))))  ; => (9 2)
(print (with-exception-handler
        (lambda (e) (list e (q)))
        (lambda () (parameterize ((q 'at-raise)) (raise-continuable 'c)))))  ; => (c at-raise)
(print (call/cc
        (lambda (k)
          (with-exception-handler
           (lambda (e) (k (list e (q))))
           (lambda () (parameterize ((q 'at-raise)) (raise 'r)))))) (q))  ; => (r at-raise) 2
(print (parameterize ((q 'outer))
         (dynamic-wind
          (lambda () (print 'before (q)))
          (lambda () (parameterize ((q 'inner)) (q)))
          (lambda () (print 'after (q))))))
; => before outer
; => after outer
; => inner

;; Parameters in data, in loops, with tensors.
(define many (map make-parameter '(1 2 3)))
(print (parameterize (((car many) 'one)) (map (lambda (p) (p)) many)))  ; => (one 2 3)
(define (count i) (if (= i 100000) (q) (begin (parameterize ((q i)) (q)) (count (+ i 1)))))
(print (count 0))  ; => 2
(define scale (make-parameter (tensor 2.0)))
(print (parameterize ((scale (tensor 3.0))) (* (scale) 2)) (scale))  ; => 6.0 2.0
