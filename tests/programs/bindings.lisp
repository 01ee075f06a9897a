; let, let*, letrec, internal defines: scope and order.
(define x 'top)
(print (let ((x 1) (y x)) (list x y)))            ; => (1 top)
(print (let* ((x 1) (y (+ x 1))) (list x y)))     ; => (1 2)
(print (letrec ((even? (lambda (n) (if (= n 0) #t (odd? (- n 1))))) (odd? (lambda (n) (if (= n 0) #f (even? (- n 1)))))) (even? 101))) ; => #f
(define (area r) (define pi 3) (define (sq n) (* n n)) (* pi (sq r)))
(print (area 2))                                  ; => 12
(define (shadow car) (+ car 1))
(print (shadow 1) (car '(a)))                     ; => 2 a
(print (let ((list vector)) (list 1 2)))          ; => #(1 2)
(print (let () 5) (begin 1 2 3))                  ; => 5 3
(define (f) (define a 1) (set! a (+ a 1)) (define b (* a 10)) (list a b))
(print (f))                                       ; => (2 20)
(print (let loop ((x x)) x))                      ; => top
(define old-abs abs)
(define (abs n) (list 'mine (old-abs n)))
(print (abs -5))                                  ; => (mine 5)
(define (if-like c a b) (if c a b))
(print (if-like #f 1 2) ((if #t + -) 5 3))        ; => 2 8
(print (let ((t 5)) t) t)                         ; => 5 #t
