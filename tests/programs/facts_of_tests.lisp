; Facts that meet: reads of one object as two kinds, and tests and indices that cannot be.

; One object is read as a pair, and as a record or a vector: one of the reads fails.
(define-record-type point (make-point x) point? (x point-x))
(define (pair-and-record c)
  (let* ((a (car c)) (b (point-x c)))
    (list a b)))
(define (pair-and-vector c)
  (let* ((a (car c)) (b (vector-ref c 0)))
    (list a b)))
(define (message f x) (guard (e (#t (error-object-message e))) (f x)))
(print (message pair-and-record (list 1))) ; => point-x: expected a point, got (1)
(print (message pair-and-vector (vector 1))) ; => car: expected a pair, got #(1)

; i is negative where t is computed, so the test never holds.
(define (counted s)
  (let loop ((i 0) (j 5))
    (if (< i 0)
        (let ((t (- i 1)))
          (if (> t -2) (loop i t) (+ j t)))
        (if (< j (string-length s)) (loop -1 j) j))))
(print (counted "abcdefg") (counted "abc")) ; => 3 5

; The same for an index.
(define (written s v)
  (let loop ((i 1) (j 5))
    (if (< i 0)
        (let ((t (- i 1)))
          (vector-set! v t 7)
          (loop i t))
        (if (< j (string-length s)) (loop -1 j) j))))
(print (written "abc" (vector 1 2))) ; => 5
(print (message (lambda (v) (written "abcdefg" v)) (vector 1 2))) ; => vector-set!: expected a non-negative exact integer, got -2

; What never gets a value.
(define (never v) (never v))
(define (after v)
  (let* ((w (never v)) (n (vector-length w)))
    (let loop ((i 0))
      (if (< i n) 5 (loop (- i 1))))))
(if (= 1 (vector-length (vector 1 2))) (print (after (vector 1))))

; A record that its constructor has made, and a pattern has tested: two variables hold its type.
(define-record-type <box> (make-box inside) box? (inside box-inside set-box-inside!))
(print (let ((p (make-box 1))) (match p (($ <box> (set! s)) (s 10))) (box-inside p))) ; => 10
