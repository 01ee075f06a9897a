;; Procedures that have a version for fixnums get other numbers as well.

(define (read-number text) (string->number text))

(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(print (fib (read-number "20")) (fib (read-number "5.0")) (fib (read-number "7/2")))  ; => 6765 5.0 7/2

;; Out of the fixnums and back again.
(define (up n steps) (if (= steps 0) n (up (+ n 1) (- steps 1))))
(print (up (read-number "4611686018427387900") (read-number "10")))  ; => 4611686018427387910
(define (factorial n) (if (= n 0) 1 (* n (factorial (- n 1)))))
(print (factorial (read-number "25")) (factorial (read-number "3.0")))  ; => 15511210043330985984000000 6.0
(define (collatz n steps)
  (cond ((= n 1) steps)
        ((even? n) (collatz (quotient n 2) (+ steps 1)))
        (else (collatz (+ (* 3 n) 1) (+ steps 1)))))
(print (collatz (read-number "27") 0) (collatz (read-number "4611686018427387903") 0))  ; => 111 861

;; Procedures that call each other, also in tail position.
(define (ping n) (if (<= n 0) 'ping (pong (- n 1))))
(define (pong n) (if (<= n 0) 'pong (ping (- n 1))))
(print (ping (read-number "100001")) (pong (read-number "3.5")))  ; => pong pong
(define (count-down n k) (if (= n 0) (k n) (count-down (- n 1) k)))
(print (count-down (read-number "100000") (lambda (x) (list 'end x))))  ; => (end 0)

;; As a value, and with other arguments that are counted.
(print (map fib (list 10 1/2 2.5)))  ; => (55 1/2 2.0)
(define (take items n)
  (if (= n 0) '() (cons (car items) (take (cdr items) (- n 1)))))
(print (take (list "a" (list 'b) 3) (read-number "2")))  ; => (a (b))
(print (take (list "a" (list 'b) 3) (read-number "2.0")))  ; => (a (b))

;; Indices.
(define (index-of v x start)
  (let loop ((i start))
    (cond ((= i (vector-length v)) #f)
          ((equal? (vector-ref v i) x) i)
          (else (loop (+ i 1))))))
(print (index-of #(a b c) 'c (read-number "1")) (index-of #(a b c) 'a (read-number "1")))  ; => 2 #f
(define (swap! v i j)
  (let ((old (vector-ref v i)))
    (vector-set! v i (vector-ref v j))
    (vector-set! v j old)))
(define (reverse! v i j) (when (< i j) (swap! v i j) (reverse! v (+ i 1) (- j 1))))
(define letters (vector 'a 'b 'c 'd))
(reverse! letters 0 (read-number "3"))
(print letters)  ; => #(d c b a)
