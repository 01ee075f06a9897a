; Much allocation of every kind: free lists reuse, nothing is kept.
(define (churn n)
  (let loop ((i 0) (kept '()))
    (if (= i n)
        (length kept)
        (loop (+ i 1)
              (let ((l (list i (* i 1.5) (number->string i) (vector i) (lambda () i) (* i 100000000000000))))
                (if (= 0 (modulo i 1000)) (cons l kept) kept))))))
(print (churn 100000))                            ; => 100
(define (grow n) (let loop ((i 0) (v (vector))) (if (= i n) (vector-length v) (loop (+ i 1) (make-vector i v)))))
(print (grow 300))                                ; => 299
(define (strings n) (let loop ((i 0) (s "")) (if (= i n) (string-length s) (loop (+ i 1) (string-append s "x")))))
(print (strings 3000))                            ; => 3000
(define long (range 200000))
(set! long #f)
(print (length (reverse (range 100000))))         ; => 100000
