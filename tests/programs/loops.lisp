; Named let, do, nested loops, and loops that carry heap values.
(print (let loop ((i 0) (sum 0)) (if (> i 100) sum (loop (+ i 1) (+ sum i))))) ; => 5050
(print (do ((i 0 (+ i 1)) (l '() (cons i l))) ((= i 5) l))) ; => (4 3 2 1 0)
(print (do ((v (make-vector 3 0)) (i 0 (+ i 1))) ((= i 3) v) (vector-set! v i (* i i)))) ; => #(0 1 4)
(define (table rows columns)
  (let outer ((i 0) (lines '()))
    (if (= i rows)
        (reverse lines)
        (outer (+ i 1)
               (cons (let inner ((j 0) (cells '()))
                       (if (= j columns) (reverse cells) (inner (+ j 1) (cons (* i j) cells))))
                     lines)))))
(print (table 3 4))                               ; => ((0 0 0 0) (0 1 2 3) (0 2 4 6))
(define (collatz n) (let loop ((n n) (steps 0)) (cond ((= n 1) steps) ((even? n) (loop (quotient n 2) (+ steps 1))) (else (loop (+ (* 3 n) 1) (+ steps 1))))))
(print (collatz 27))                              ; => 111
(define (fib n) (let loop ((a 0) (b 1) (i 0)) (if (= i n) a (loop b (+ a b) (+ i 1)))))
(print (fib 100))                                 ; => 354224848179261915075
(print (let loop ((words '("a" "b" "c")) (text "")) (if (null? words) text (loop (cdr words) (string-append text (car words)))))) ; => abc
(print (let swap ((a 1) (b 2) (n 3)) (if (= n 0) (list a b) (swap b a (- n 1))))) ; => (2 1)
(define (find-first ok? items) (let loop ((rest items)) (cond ((null? rest) #f) ((ok? (car rest)) (car rest)) (else (loop (cdr rest))))))
(print (find-first even? '(1 3 6 7)) (find-first even? '(1 3))) ; => 6 #f
(do ((i 0 (+ i 1))) ((= i 2)) (display i))
(newline)                                         ; => 01
(print (let loop ((x 1)) (if (< x 1000) (loop (* x 2.5)) x))) ; => 1525.87890625
