; let-values, let*-values, receive, define-values, values, call-with-values.
(let-values (((root rem) (values 5 7))) (print (* root rem)))  ; => 35
(let-values (((a b) (values 1 2)) ((c) (values 3)) (d (values 4 5)) ((e . f) (values 6 7 8)))
  (print a b c d e f))                                ; => 1 2 3 (4 5) 6 (7 8)
(let ((a 'a) (b 'b) (x 'x) (y 'y))
  (let*-values (((a b) (values x y)) ((x y) (values a b)))
    (print a b x y))                                  ; => x y x y
  (let-values (((a b) (values x y)) ((x y) (values a b)))
    (print a b x y)))                                 ; => x y a b
(define (random-like n) n)
(define (two n) (values n (* n n)))
(define (none) (values))
(define (many n) (apply values (iota n)))
(receive (a b) (two 3) (print a b))                   ; => 3 9
(receive all (two 3) (print all))                     ; => (3 9)
(receive all (none) (print all))                      ; => ()
(receive () (none) (print "none"))                    ; => none
(receive (a . rest) (two 3) (print a rest))           ; => 3 (9)
(receive (a . rest) 'single (print a rest))           ; => single ()
(receive (a) (car '(1)) (print a))                    ; => 1
(receive (a b) (let ((x 5)) (begin (display "") (values x (+ x 1)))) (print a b)) ; => 5 6
(receive (a b) (if (> (random-like 1) 0) (values 1 2) (values 3 4)) (print a b)) ; => 1 2

(define-values (q r) (two 7))
(define-values (head . tail) (many 4))
(define-values all (none))
(define-values () (none))
(print q r head tail all)                             ; => 7 49 0 (1 2 3) ()
(define (f)
  (define-values (x y) (values 1 2))
  (define-values (z . more) (many 3))
  (define sum (+ x y z))
  (list x y z more sum))
(print (f))                                           ; => (1 2 0 (1 2) 3)
(print (call-with-values (lambda () (values 4 5)) (lambda (a b) b)))   ; => 5
(print (call-with-values * -))                        ; => -1
(print (call-with-values (lambda () (many 5)) list))  ; => (0 1 2 3 4)
(print (call-with-values (lambda () (values 1 2)) (lambda (a . b) (list a b)))) ; => (1 (2))
(define (via producer consumer) (call-with-values producer consumer))
(print (via (lambda () (two 2)) cons))                ; => (2 . 4)
(print (map call-with-values (list none (lambda () (two 9))) (list list +)))  ; => (() 90)
(print (values 'one) (call-with-values (lambda () (many 70000)) (lambda l (length l)))) ; => one 70000
(let loop ((i 0))
  (when (< i 3)
    (let-values (((a b) (values i (* 2 i))))
      (display (+ a b)) (display " ")
      (loop (+ i 1)))))
(newline)                                             ; => 0 3 6 
(define (swap a b) (values b a))
(let loop ((i 0) (a 1) (b 2))
  (if (= i 3) (print a b) (receive (x y) (swap a b) (loop (+ i 1) x y))))  ; => 2 1
(print (let*-values (((a b) (values 1 2)) ((c) (values (+ a b)))) c) (let-values ((() (none))) 'ok) (letrec* ((a 1) (b (+ a 1))) (list a b))) ; => 3 ok (1 2)
