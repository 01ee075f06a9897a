; Roots, powers, transcendental functions, exactness.
(print (sqrt 16) (sqrt 1/4) (sqrt 2) (sqrt 16.0) (sqrt 0) (sqrt -0.0)) ; => 4 1/2 1.4142135623730951 4.0 0 -0.0
(print (sqrt (expt 10 400)) (sqrt 2/9) (sqrt +inf.0)) ; => 100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 0.4714045207910317 +inf.0
(print (sqrt (+ (expt 10 400) 1)) (log (expt 10 400)) (log (expt 1/10 400))) ; => 1e200 921.0340371976182 -921.0340371976182
(define (root n) (call-with-values (lambda () (exact-integer-sqrt n)) list))
(print (root 4) (root 5) (root 0) (root (+ (expt 10 40) 9))) ; => (2 0) (2 1) (0 0) (100000000000000000000 9)

; expt is exact with an exact base and an exact integer as exponent.
(print (expt 2 10) (expt 2 -2) (expt 2/3 3) (expt 2/3 -3) (expt -2 3)) ; => 1024 1/4 8/27 27/8 -8
(print (expt 0 0) (expt 0.0 0) (expt 0 2) (expt 0 2.5) (expt 0.0 -1)) ; => 1 1.0 0 0.0 +inf.0
(print (expt 2 0.5) (expt 2.0 3) (expt 2.5 -1) (expt -8.0 3) (expt 4 1/2)) ; => 1.4142135623730951 8.0 0.4 -512.0 2
(print (expt 1 (expt 10 30)) (expt -1 (+ (expt 10 30) 1)) (expt 0 (expt 10 30))) ; => 1 -1 0
(print (expt 2.0 (expt 10 30)) (expt 1e200 2) (expt 10 25)) ; => +inf.0 +inf.0 10000000000000000000000000

; Exact where an exact argument has an exact value.
(print (exp 0) (exp 1) (exp 0.0) (exp -inf.0) (exp 1000)) ; => 1 2.718281828459045 1.0 0.0 +inf.0
(print (log 1) (log 1.0) (log 0.0) (log 100 10) (log 8 2) (log 1/8 2)) ; => 0 0.0 -inf.0 2.0 3.0 -3.0
(print (sin 0) (sin 1) (cos 0) (cos 1) (tan 0) (tan 1) (sin +inf.0)) ; => 0 0.8414709848078965 1 0.5403023058681398 0 1.5574077246549023 +nan.0
(print (asin 0) (asin 1) (asin -0.5) (acos 1) (acos -1) (acos 1/2)) ; => 0 1.5707963267948966 -0.5235987755982989 0 3.141592653589793 1.0471975511965979
(print (atan 0) (atan 1) (atan -inf.0) (atan 1 1) (atan 1 0) (atan 0 1)) ; => 0 0.7853981633974483 -1.5707963267948966 0.7853981633974483 1.5707963267948966 0
(print (atan -1 -1) (atan 0.0 -1) (atan -0.0 -1) (atan 1/2 1/2)) ; => -2.356194490192345 3.141592653589793 -3.141592653589793 0.7853981633974483
(print (map exp '(0 0.0)) (map sqrt '(4 9)) (apply atan '(1 1))) ; => (1 1.0) (2 3) 0.7853981633974483

; Exactness.  Doubles are rounded once, also where they are subnormal.
(print (exact 2.5) (exact 0.1) (exact -0.0) (exact 1e18) (exact 5)) ; => 5/2 3602879701896397/36028797018963968 0 1000000000000000000 5
(print (inexact 1/3) (inexact (expt 10 400)) (inexact (/ 1 (expt 10 400))) (inexact 9007199254740993)) ; => 0.3333333333333333 +inf.0 0.0 9007199254740992.0
(print (inexact (/ 3 (expt 2 1075))) (inexact (/ 1 (expt 2 1075))) (inexact (/ (+ (expt 2 60) 1) (expt 2 1135)))) ; => 1e-323 0.0 5e-324
(print (exact->inexact 1/4) (inexact->exact 0.25)) ; => 0.25 1/4
(print (exact (floor 2.5)) (= (exact 1e300) 1e300)) ; => 2 #t

; Of proved doubles and integers the compiler makes C expressions: the same meaning.
(define (of-doubles x y)
  (list (max x y) (min x y) (abs x) (square y) (sqrt (abs x)) (expt (abs x) y) (exact (floor x))
        (zero? x) (negative? x) (nan? y) (finite? x) (round x) (- x)))
(print (of-doubles -2.5 3.0) (of-doubles 0.0 +nan.0)) ; => (3.0 -2.5 2.5 9.0 1.5811388300841898 15.625 -3 #f #t #f #t -2.0 2.5) (+nan.0 +nan.0 0.0 +nan.0 0.0 +nan.0 0 #t #f #t #t 0.0 -0.0)
(define (of-integers n)
  (let loop ((i (- n)) (out '()))
    (if (> i n)
        (reverse out)
        (loop (+ i 1)
              (cons (list (quotient i 3) (modulo i 3) (remainder i -2) (floor-quotient i -2) (even? i)
                          (max i 0) (abs i) (square i) (inexact i) (bitwise-and i 5)
                          (arithmetic-shift i 3) (arithmetic-shift i -1) (positive? i) (- i))
                    out)))))
(for-each print (of-integers 1))
; => (0 2 -1 0 #f 0 1 1 -1.0 5 -8 -1 #f 1)
; => (0 0 0 0 #t 0 0 0 0.0 0 0 0 #f 0)
; => (0 1 1 -1 #f 1 1 1 1.0 1 8 0 #t -1)
