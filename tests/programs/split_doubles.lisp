; Code that likely computes with doubles has a version for them: the guess may be wrong.
(define (energy m v) (* 0.5 m (* v v)))
(print (energy 2.0 3.0) (energy 2 3) (energy 1/2 3) (energy 2 3.0))      ; => 9.0 9.0 2.25 9.0
(define (given) (vector 1.5 2 1/3 (expt 10 30) -4.0))
(print (map (lambda (x) (energy x 2.0)) (vector->list (given))))         ; => (3.0 4.0 0.6666666666666666 2e30 -8.0)

; Local variables: the version begins after them.
(define (far a b)
  (let* ((dx (- (vector-ref a 0) (vector-ref b 0)))
         (dy (- (vector-ref a 1) (vector-ref b 1)))
         (square (+ (* dx dx) (* dy dy))))
    (if (> (* square 1.0) 4.0) (sqrt square) (- square))))
(print (far (vector 3.0 4.0) (vector 0.0 0.0)))                          ; => 5.0
(print (far (vector 3 4) (vector 0 0)))                                  ; => 5
(print (far (vector 1 1/2) (vector 0 0)))                                ; => -5/4
(print (far (vector 1 4.0) (vector 1 1.0)))                              ; => 3.0

; Loops, whose variables are doubles only in that version.
(define (sum-to n step)
  (let loop ((x 0.0) (total 0))
    (if (> x n) total (loop (+ x step) (+ total (* x step))))))
(print (sum-to 2.0 0.5) (sum-to 2 1/2) (sum-to 2 1))                     ; => 2.5 2.5 3.0

; Both versions make proper tail calls and capture the same variables.
(define (countdown x step)
  (if (<= x 0.0) 'done (countdown (- x step) step)))
(print (countdown 100000.0 0.5) (countdown 100000 1))                    ; => done done
(define (scaler k) (lambda (x) (* k (+ x 0.5))))
(print ((scaler 2.0) 1.0) ((scaler 2) 1) ((scaler 1/2) 1/2))             ; => 3.0 3.0 0.5

; What is not a number, special doubles, and no result.
(define (halves x) (let ((h (* x 0.5))) (list h (= h h) (< h 1.0) (max h 1))))
(print (halves (/ 0.0 0.0)))                                             ; => (+nan.0 #f #f +nan.0)
(print (halves (/ -1.0 0.0)) (halves 3))                                 ; => (-inf.0 #t #t 1.0) (1.5 #t #f 1.5)
(define (refused x) (guard (e (#t (error-object-message e))) (energy x 2.0)))
(print (refused "a"))                                                    ; => *: expected a number, got "a"
(define (kept x) (let ((y (* x 1.5))) (list y (+ y x) (- y x) (* y x))))
(print (kept 2.0) (kept 2))                                              ; => (3.0 5.0 1.0 6.0) (3.0 5.0 1.0 6.0)

; Calls that pass doubles are those of a clone; a recursion of the clone stays in it.
(define (fib-of n) (if (< n 2.0) n (+ (fib-of (- n 1.0)) (fib-of (- n 2.0)))))
(define (number text) (string->number text))
(print (map (lambda (text) (fib-of (number text))) '("12.0" "12" "7/2"))) ; => (144.0 144.0 3.5)
(define (pull! v dx factor)
  (vector-set! v 0 (+ (vector-ref v 0) (* dx factor)))
  (vector-set! v 1 (+ (vector-ref v 1) (* dx factor 2))))
(define (pulled v x y)
  (let ((dx (- (vector-ref v 0) (* x 1.0))))
    (pull! v dx (* y y))
    (pull! v dx (vector-ref v 1))
    v))
(print (pulled (vector 1.0 2.0) 0.5 2.0))                                ; => #(6.0 12.0)
(print (pulled (vector 1 2) (number "1/2") (number "2")))                ; => #(6.0 12.0)
(print (pulled (vector 0.5 (expt 10 25)) 0.5 2))                         ; => #(0.5 1e25)
(print (guard (e (#t (error-object-message e))) (pulled (vector 1.0 'b) 0.5 2.0))) ; => +: expected a number, got b
(print (guard (e (#t (error-object-message e))) (pulled (vector 1.0) 0.5 2.0))) ; => vector-ref: index 1 is out of range for length 1
(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))
(print (power 1.5 3) (power 2 70) (power (number "0.5") 2))              ; => 3.375 1180591620717411303424 0.25
(define (odd-steps x n) (if (<= n 0.0) x (even-steps (* x 1.5) (- n 1.0))))
(define (even-steps x n) (if (<= n 0.0) (- x) (odd-steps (+ x 0.5) (- n 1.0))))
(print (odd-steps 1.0 3.0) (odd-steps (number "1") 3) (even-steps 2 (number "1e5"))) ; => -3.0 -3.0 -inf.0
