; Branches on constants, and loops that never end: the C of what is never reached has no warnings
; (test_executables.py), and what is left does what it should.

(define (f x) (let loop ((i x)) (loop (+ i 1))))
(define (g x) (begin (let loop ((i x)) (loop (+ i 1))) 5))
(define (h x) (let ((y (let loop ((i x)) (if (> i 99.0) (car i) (loop (+ i 1.0)))))) (+ y 1)))
(define (k x) (+ 1 (let loop ((i x)) (if (> i 100) (error "x") (loop (+ i 1))))))
(define (k2 x) (< 1.5 (let loop ((i x)) (if (> i 100) (error "x") (loop (+ i 1))))))
(define (k3 x) (if (let loop ((i x)) (if (> i 100) (error "x") (loop (+ i 1)))) 1 2))
(define (m x) (if #f (* x 2.0) (car x)))
(define (m2 x) (let ((y (if #f (vector-ref x 0) 2))) (+ y 1)))
(define (m3 x) (if (not #t) (let ((a (cons x x))) (if (pair? x) (car a) (cdr (list a)))) x))
(define (m4 x) (let ((y (if 5 (car x) (let ((b (list x))) (if (null? b) (car b) (car x)))))) (list y y)))
(define (m5 x) (if #f (let loop ((i 0) (a (list x))) (if (< i 10) (loop (+ i 1) (cons (car a) a)) (car a))) 1))
(define (m6 x) (and #f (let ((z (string-length x))) (list z (car x)))))
(define (m7 x) (or 1 (let ((z (string-length x))) (list z (car x)))))
(define (m8 x) (case 3 ((1) (let ((z (list x))) (car z) (car x) z)) (else (list x))))
(define (m9 x) (let ((y (if #f (string-length x) (vector-length x)))) (if (= y 2) 1 2)))
(define (n1 x) (let ((z (list 1 x))) (if #f (begin (car x) (set-car! z 1) z) (begin (cdr x) 5))))
(define (n2 x) (cond (#f => car) (#f (let ((q (make-vector 2 x))) (vector-ref q x))) (else 3)))
(define (n3 x) (do ((i 0 (+ i 1))) (#f i) (car x)))
(define (n4 x) (let ((v (do ((i 0 (+ i 1))) (#f i) (car x)))) (list v)))
(define (n5 x) (let loop ((i 0.5)) (if #f i (if (car x) (loop (* i 2)) (loop i)))))
(define (n6 x) (let ((s (let loop ((i 0.5)) (if #f i (loop (* i 2)))))) (+ s 1)))
(define (n7 x) (let ((s (if #f (/ x 2.0) (error "a")))) (+ s 1)))
(define (n8 x) (let ((s (if #t (error "b") (list x)))) (cons s s)))
(define (said f . arguments)
  (guard (e (#t (if (error-object? e) (error-object-message e) e))) (apply f arguments)))
(print (said k 1))  ; => x
(print (said k2 1))  ; => x
(print (said k3 1))  ; => x
(print (said h 1))  ; => car: expected a pair, got 100.0
(print (said m '(1)))  ; => 1
(print (said m2 (vector 1)))  ; => 3
(print (said m3 5))  ; => 5
(print (said m4 '(1 2)))  ; => (1 1)
(print (said m5 1))  ; => 1
(print (said m6 1))  ; => #f
(print (said m7 1))  ; => 1
(print (said m8 1))  ; => (1)
(print (said m9 (vector 1 2)))  ; => 1
(print (said n1 '(1 2)))  ; => 5
(print (said n2 1))  ; => 3
(print (said n3 1))  ; => car: expected a pair, got 1
(print (said n4 1))  ; => car: expected a pair, got 1
(print (said n5 1))  ; => car: expected a pair, got 1
(print (procedure? n6))  ; => #t
(print (procedure? f))  ; => #t
(print (procedure? g))  ; => #t
(print (said n7 1))  ; => a
(print (said n8 1))  ; => b
