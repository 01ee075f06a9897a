; A million frames that are not tail calls fit.
(define (count n) (if (= n 0) 0 (+ 1 (count (- n 1)))))
(print (count 1000000))                           ; => 1000000
(define (build n) (if (= n 0) '() (cons n (build (- n 1)))))
(print (length (build 1000000)))                  ; => 1000000
(define (copy l) (if (null? l) '() (cons (car l) (copy (cdr l)))))
(print (car (copy (build 200000))))               ; => 200000
(define (nest n) (if (= n 0) '() (list (nest (- n 1)))))
(define deep (nest 100000))
(print (pair? deep) (equal? (nest 100000) deep))  ; => #t #t
(print (length (map (lambda (x) x) (range 300000)))) ; => 300000
(define (mutual-a n) (if (= n 0) 0 (+ 1 (mutual-b (- n 1)))))
(define (mutual-b n) (if (= n 0) 0 (+ 1 (mutual-a (- n 1)))))
(print (mutual-a 300001))                         ; => 300001
