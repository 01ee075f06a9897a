; A classic: primes by sieve, vectors and nested loops.
(define (primes n)
  (let ((sieve (make-vector (+ n 1) #t)))
    (let loop ((i 2) (found '()))
      (cond ((> i n) (reverse found))
            ((vector-ref sieve i)
             (do ((j (* i i) (+ j i))) ((> j n)) (vector-set! sieve j #f))
             (loop (+ i 1) (cons i found)))
            (else (loop (+ i 1) found))))))
(print (primes 50))                               ; => (2 3 5 7 11 13 17 19 23 29 31 37 41 43 47)
(print (length (primes 20000)))                   ; => 2262
