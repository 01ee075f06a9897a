; Exact rationals stay in lowest terms and turn into integers when they can.
(print (/ 1 3) (/ 6 4) (/ 6 3) (/ -1 2) (/ 1 -2)) ; => 1/3 3/2 2 -1/2 -1/2
(print (+ 1/2 1/3) (- 1/2 1/2) (* 2/3 3/2))       ; => 5/6 0 1
(print (/ 1/2 1/4) (/ 2))                         ; => 2 1/2
(print (numerator 6/4) (denominator 6/4))         ; => 3 2
(print (< 1/3 1/2) (= 1/2 0.5) (> 2/3 0.5))       ; => #t #t #t
(print (exact? 1/2) (integer? 4/2) (integer? 1/2) (rational? 1/2)) ; => #t #t #f #t
(print (floor 7/2) (ceiling 7/2) (round 7/2) (truncate -7/2)) ; => 3 4 4 -3
(print (round 5/2) (round -5/2) (floor -1/2))     ; => 2 -2 -1
(print (inexact 1/4) (exact 0.5) (exact 2.0))     ; => 0.25 1/2 2
(print (abs -3/4) (max 1/2 1/3) (min 1/2 0.25))   ; => 3/4 1/2 0.25
(print (+ 1/2 0.5) (* 2 1/2))                     ; => 1.0 1
(print (expt 2/3 3) (expt 2/3 -2))                ; => 8/27 9/4
(print (sqrt 1/4) (sqrt 2/9))                     ; => 1/2 0.4714045207910317
(define (harmonic n) (if (= n 0) 0 (+ (/ 1 n) (harmonic (- n 1)))))
(print (harmonic 20))                             ; => 55835135/15519504
(print (string->number "3/6"))                    ; => 1/2
(print (equal? 1/2 (/ 2 4)) (eqv? 1/2 0.5))       ; => #t #f
