; Doubles print with the fewest digits that read back; exponents start at 1e21 and below 1e-6.
(print 0.1 100.0 -0.0 1e21 1e-7 6.02214076e23)    ; => 0.1 100.0 -0.0 1e21 1e-7 6.02214076e23
(print 1e20 123456789012345680000.0 0.000001)     ; => 100000000000000000000.0 123456789012345680000.0 0.000001
(print (+ 0.1 0.2) (/ 1.0 3) 1.5e300)             ; => 0.30000000000000004 0.3333333333333333 1.5e300
(print (/ 1 0.0) (/ -1.0 0.0) (- (/ 1.0 0.0) (/ 1.0 0.0))) ; => +inf.0 -inf.0 +nan.0
(print (* 1.0 0) (+ 0 0.0) (- 0.0))               ; => 0.0 0.0 -0.0
(print (= 1 1.0) (eqv? 1 1.0) (eqv? 0.0 -0.0) (= 0.0 -0.0)) ; => #t #f #f #t
(print (floor -2.5) (ceiling -2.5) (truncate -2.5) (round -2.5)) ; => -3.0 -2.0 -2.0 -2.0
(print (round 0.5) (round 1.5) (round 2.5))       ; => 0.0 2.0 2.0
(print (sqrt 2) (sqrt 16) (sqrt 16.0))            ; => 1.4142135623730951 4 4.0
(print (exp 0) (exp 1) (log 1) (sin 0) (cos 0))   ; => 1 2.718281828459045 0 0 1
(print (atan 1 1) (atan 1.0) (log 8 2))           ; => 0.7853981633974483 0.7853981633974483 3.0
(print (expt 2.0 0.5) (expt 2 0.5) (expt 2.0 3))  ; => 1.4142135623730951 1.4142135623730951 8.0
(print (exact 2.5) (exact 1e18) (exact 1e20))     ; => 5/2 1000000000000000000 100000000000000000000
(print (max 1 2.0) (max 3 2.0) (min 1 2.0))       ; => 2.0 3.0 1.0
(print (integer? 2.0) (integer? 2.5) (exact? 2.0) (nan? (- (/ 1.0 0.0) (/ 1.0 0.0)))) ; => #t #f #f #t
(print (quotient 7.0 2) (modulo -7.0 2))          ; => 3.0 1.0
(print (number->string 1.5) (string->number "1e3") (string->number ".5") (string->number "-1.5e-3")) ; => 1.5 1000.0 0.5 -0.0015
(print 1234567.125 5e-324 1.7976931348623157e308) ; => 1234567.125 5e-324 1.7976931348623157e308
(define (mean a b) (/ (+ a b) 2.0))
(print (mean 1 2) (mean 1.5 2.5))                 ; => 1.5 2.0
(define (sum-to n) (let loop ((i 0) (total 0.0)) (if (= i n) total (loop (+ i 1) (+ total (* i 0.5))))))
(print (sum-to 1000))                             ; => 249750.0
(define (both i) (let loop ((i i) (total 0)) (if (= i 0) total (loop (- i 1) (+ total (* i 0.5) (/ i 4.))))))
(print (both 0) (both 3) (/ 0 4.) (/ 0 0.))       ; => 0 4.5 0.0 +nan.0
