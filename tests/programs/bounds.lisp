; Loops over vectors and strings whose accesses need no test, and some that look alike and do.

(define (sum v)
  (let loop ((i 0) (sum 0))
    (if (= i (vector-length v)) sum (loop (+ i 1) (+ sum (vector-ref v i))))))
(print (sum (vector)) (sum (vector 1 2 3)) (sum (vector 1. 2.5)) (sum (vector 1/2 2. 3)))   ; => 0 6 3.5 5.5

(define (down v)
  (do ((i (- (vector-length v) 1) (- i 1)) (found '() (cons (vector-ref v i) found)))
      ((< i 0) found)))
(print (down (vector)) (down (vector 'a 'b 'c)))     ; => () (a b c)

(define (palindrome? s)
  (let loop ((i 0) (j (- (string-length s) 1)))
    (or (>= i j)
        (and (char=? (string-ref s i) (string-ref s j)) (loop (+ i 1) (- j 1))))))
(print (map palindrome? '("" "a" "ab" "aba" "äbä" "abc")))   ; => (#t #t #f #t #t #f)

(define (swap! v i j)
  (let ((old (vector-ref v i)))
    (vector-set! v i (vector-ref v j))
    (vector-set! v j old)))
(define (reverse! v)
  (do ((i 0 (+ i 1)) (j (- (vector-length v) 1) (- j 1)))
      ((>= i j) v)
    (swap! v i j)))
(print (reverse! (vector 1 2 3 4)) (reverse! (vector 1. 2. 'x)))   ; => #(4 3 2 1) #(x 2.0 1.0)

; The rows have lengths of their own.
(define (sum-rows rows)
  (do ((i 0 (+ i 1))
       (sum 0 (let ((row (vector-ref rows i)))
                (do ((j 0 (+ j 1)) (sum sum (+ sum (vector-ref row j))))
                    ((= j (vector-length row)) sum)))))
      ((= i (vector-length rows)) sum)))
(print (sum-rows (vector (vector) (vector 1 2) (vector 3.5))))     ; => 6.5

; What is no vector says so where the length is taken, also in a loop that moved it.
(define (said thunk)
  (guard (e (#t (print (error-object-message e)))) (thunk)))
(said (lambda () (sum '(1 2))))          ; => vector-length: expected a vector, got (1 2)
(said (lambda () (palindrome? 'aba)))    ; => string-length: expected a string, got aba

; One too many, and one too few.
(define (beyond v)
  (let loop ((i 0) (sum 0))
    (if (> i (vector-length v)) sum (loop (+ i 1) (+ sum (vector-ref v i))))))
(said (lambda () (beyond (vector 1 2))))   ; => vector-ref: index 2 is out of range for length 2
(define (before v)
  (let loop ((i (- (vector-length v) 1)) (sum 0))
    (if (< i -1) sum (loop (- i 1) (+ sum (vector-ref v i))))))
(said (lambda () (before (vector 1 2))))   ; => vector-ref: expected a non-negative exact integer, got -1

; A vector of doubles that becomes another in the middle of the loop.
(define (spoil v)
  (do ((i 0 (+ i 1)))
      ((= i (vector-length v)) v)
    (if (= i 1) (vector-set! v 2 'spoilt))
    (vector-set! v i (list (vector-ref v i)))))
(print (spoil (vector 1. 2. 3.)))        ; => #((1.0) (2.0) (spoilt))
