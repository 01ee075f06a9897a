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
