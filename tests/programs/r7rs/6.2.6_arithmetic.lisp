; Kinds of numbers, comparison, arithmetic, integer division, rounding.
(define (kinds x)
  (map (lambda (test?) (if (test? x) 1 0))
       (list number? complex? real? rational? integer? exact-integer? exact-rational?)))
(print (kinds 3) (kinds 1/2) (kinds 3.0))         ; => (1 1 1 1 1 1 1) (1 1 1 1 0 0 1) (1 1 1 1 1 0 0)
(print (kinds 0.5) (kinds +inf.0) (kinds +nan.0)) ; => (1 1 1 1 0 0 0) (1 1 1 0 0 0 0) (1 1 1 0 0 0 0)
(print (kinds 'a) (kinds "1") (kinds (expt 10 30))) ; => (0 0 0 0 0 0 0) (0 0 0 0 0 0 0) (1 1 1 1 1 1 1)
(print (exact? 1/2) (exact? 1.0) (inexact? 1/2) (inexact? 1.0)) ; => #t #f #f #t
(print (finite? 3) (finite? 1e308) (finite? +inf.0) (finite? +nan.0)) ; => #t #t #f #f
(print (infinite? 3) (infinite? -inf.0) (infinite? +nan.0)) ; => #f #t #f
(print (nan? +nan.0) (nan? 32) (nan? +inf.0))     ; => #t #f #f

; Comparison is exact: nothing is rounded, and it is transitive.
(define big 9007199254740993)
(print (= big 9007199254740992.0) (< 9007199254740992.0 big) (> big 9007199254740992.0)) ; => #f #t #t
(print (= 1/3 (inexact 1/3)) (= 1/4 0.25) (< 1/10 0.1) (<= 1/10 0.1 1/9)) ; => #f #t #t #t
(print (= 0.0 -0.0) (< -0.0 0) (= 0 -0.0))        ; => #t #f #t
(print (= +nan.0 +nan.0) (< +nan.0 1) (>= 1 +nan.0) (= +inf.0 (expt 10 400))) ; => #f #f #f #f
(print (< (expt 10 400) +inf.0) (> (expt -10 401) -inf.0) (< 1e308 (expt 10 400))) ; => #t #t #t
(print (= 1 1.0 1) (< 1 2 2) (<= 1 2 2) (> 3 2 1) (>= 3 3 4)) ; => #t #f #t #t #f
(print (eqv? 1 1.0) (eqv? 0.0 -0.0) (equal? +nan.0 +nan.0) (eqv? big big) (equal? 1/2 2/4)) ; => #f #f #t #t #t
(print (zero? 0) (zero? -0.0) (zero? 1/2) (positive? 1/2) (positive? 0.0) (negative? -1e-300)) ; => #t #t #f #t #f #t
(print (odd? 7) (odd? -7.0) (even? 0) (even? (expt 2 90)) (odd? (+ (expt 2 90) 1))) ; => #t #t #t #t #t
(print (max 1 2 3) (max 1 2.0) (max 3 2.0) (min 1 2.0) (min 1/2 1/3) (max 1 +nan.0)) ; => 3 2.0 3.0 1.0 1/3 +nan.0

; Arithmetic: exact stays exact, a double makes doubles, nothing wraps.
(print (+) (+ 3) (+ 3 4) (+ 1/2 1/2) (+ 1/2 0.5) (*) (* 4) (* 4 1/2)) ; => 0 3 7 1 1.0 1 4 2
(print (- 3 4) (- 3 4 5) (- 3) (- 0.0) (- -4611686018427387904)) ; => -1 -6 -3 -0.0 4611686018427387904
(print (/ 3 4 5) (/ 3) (/ 1 0.0) (/ -1 0.0) (/ 0 0.0) (/ 0.5) (/ 6 -4)) ; => 3/20 1/3 +inf.0 -inf.0 +nan.0 2.0 -3/2
(print (* 4611686018427387904 2) (+ 4611686018427387903 1) (- -4611686018427387904 1)) ; => 9223372036854775808 4611686018427387904 -4611686018427387905
(print (abs -7) (abs -7/2) (abs -0.0) (abs -inf.0) (abs (- (expt 2 70)))) ; => 7 7/2 0.0 +inf.0 1180591620717411303424
(print (square 42) (square 2.5) (square 2/3) (square 4611686018427387904)) ; => 1764 6.25 4/9 21267647932558653966460912964485513216

; Integer division, by quotients rounded down and towards zero.
(define (all n d)
  (let-values (((fq fr) (floor/ n d)) ((tq tr) (truncate/ n d)))
    (list fq fr tq tr)))
(print (all 5 2) (all -5 2) (all 5 -2) (all -5 -2) (all -5.0 2)) ; => (2 1 2 1) (-3 1 -2 -1) (-3 -1 -2 1) (2 -1 2 -1) (-3.0 1.0 -2.0 -1.0)
(print (all -4611686018427387904 -1) (all (expt -10 21) 7)) ; => (4611686018427387904 0 4611686018427387904 0) (-142857142857142857143 1 -142857142857142857142 -6)
(print (floor-quotient 7 -2) (floor-remainder 7 -2) (truncate-quotient 7 -2) (truncate-remainder 7 -2)) ; => -4 -1 -3 1
(print (quotient 7 -2) (remainder 7 -2) (modulo 7 -2) (modulo -7.0 2) (remainder 1e20 7)) ; => -3 1 -1 1.0 2.0
(print (map quotient '(7 -7) '(2 2)) (apply modulo '(-7 3))) ; => (3 -3) 2
(print (gcd 32 -36) (gcd) (gcd 4) (gcd 32.0 36) (lcm 32 -36) (lcm 32.0 -36) (lcm)) ; => 4 0 4 4.0 288 288.0 1
(print (numerator (/ 6 4)) (denominator (/ 6 4)) (denominator 0) (denominator (inexact (/ 6 4)))) ; => 3 2 1 2.0
(print (numerator 0.75) (numerator -5))           ; => 3.0 -5

; Rounding keeps the kind, ties to even.
(define (rounded x) (list (floor x) (ceiling x) (truncate x) (round x)))
(print (rounded -4.3) (rounded 3.5) (rounded 7/2) (rounded -5/2) (rounded 7)) ; => (-5.0 -4.0 -4.0 -4.0) (3.0 4.0 3.0 4.0) (3 4 3 4) (-3 -2 -2 -2) (7 7 7 7)
(print (rounded -0.3) (rounded +inf.0) (round 0.49999999999999994)) ; => (-1.0 -0.0 -0.0 -0.0) (+inf.0 +inf.0 +inf.0 +inf.0) 0.0
(print (rationalize (exact .3) 1/10) (rationalize .3 1/10) (rationalize -3/10 1/10) (rationalize 1/3 1/2)) ; => 1/3 0.3333333333333333 -1/3 0
(print (rationalize 3 +inf.0) (rationalize +inf.0 3) (rationalize +inf.0 +inf.0) (rationalize 22/7 1/100)) ; => 0.0 +inf.0 +nan.0 22/7
