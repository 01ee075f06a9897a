; delay, delay-force, force, make-promise, promise?, and cons-stream.
(print (force (delay (+ 1 2))))                       ; => 3
(print (let ((p (delay (+ 1 2)))) (list (force p) (force p))))  ; => (3 3)
(define integers (letrec ((next (lambda (n) (delay (cons n (next (+ n 1))))))) (next 0)))
(define (head stream) (car (force stream)))
(define (tail stream) (cdr (force stream)))
(print (head (tail (tail integers))))                 ; => 2
(define (stream-filter p? s)
  (delay-force
   (if (null? (force s))
       (delay '())
       (let ((h (car (force s))) (t (cdr (force s))))
         (if (p? h)
             (delay (cons h (stream-filter p? t)))
             (stream-filter p? t))))))
(print (head (tail (tail (stream-filter odd? integers))))) ; => 5
; The value is computed once, also when forcing comes round again.
(define count 0)
(define p (delay (begin (set! count (+ count 1)) (if (> count x) count (force p)))))
(define x 5)
(print (promise? p) (force p) (begin (set! x 10) (force p)) count) ; => #t 6 6 6
(define q (let ((first? #t)) (delay (if first? (begin (set! first? #f) (force q)) 'second))))
(print (force q))                                     ; => second
; Chains of delay-force take no stack.
(define (loop n) (if (= n 0) (delay 'done) (delay-force (loop (- n 1)))))
(print (force (loop 100000)))                         ; => done
(define (stream-loop s) (delay-force (if (> (head s) 1000) (delay (head s)) (stream-loop (tail s)))))
(print (force (stream-loop integers)))                ; => 1001
(print (promise? (make-promise 1)) (promise? 1) (promise? (lambda () 1)) (force (make-promise 7)) (force 'x)) ; => #t #f #f 7 x
(print (let ((p (delay 1))) (eq? p (make-promise p))) (delay 1) (make-promise p)) ; => #t #<promise> #<promise>
(print (force (delay-force (make-promise 'there))) (force (delay-force 5)))  ; => there 5
(define (from n) (cons-stream n (from (+ n 1))))
(define (add a b) (cons-stream (+ (stream-car a) (stream-car b)) (add (stream-cdr a) (stream-cdr b))))
(print (stream-head (add (from 0) (from 5)) 4) (stream-cdr '(1 . 2)))  ; => (5 7 9 11) 2
