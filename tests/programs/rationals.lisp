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

; small numbers and large ones have paths of their own: all operations on both sides of each limit
(define edges (list 0 1 -2 3 2147483647 -2147483647 2147483648 4611686018427387903 -4611686018427387904 4611686018427387904 9223372036854775808 (expt 2 128) (- (expt 7 90)) (expt 3 300) 1/2 -2147483647/2147483646 1/2147483648 -7/4611686018427387904 (/ (expt 3 50) (expt 2 70)) (/ (expt 7 300) (expt 3 200))))
(define (all ok?) (let loop ((as edges) (bs edges)) (cond ((null? as) #t) ((null? bs) (loop (cdr as) edges)) ((ok? (car as) (car bs)) (loop as (cdr bs))) (else (list (car as) (car bs))))))
(print (all (lambda (a b) (and (= (- (+ a b) b) a) (= (+ a b) (+ b a)) (eqv? (* a b) (* b a)))))) ; => #t
(print (all (lambda (a b) (or (= b 0) (and (= (* (/ a b) b) a) (= (/ (* a b) b) a)))))) ; => #t
(print (all (lambda (a b) (and (eq? (< a b) (> b a)) (eq? (< a b) (negative? (- a b))) (= (square (+ a b)) (+ (* a a) (* 2 a b) (expt b 2))))))) ; => #t
(print (all (lambda (a b) (or (not (integer? a)) (not (integer? b)) (= b 0) (and (= a (+ (* b (quotient a b)) (remainder a b))) (= a (+ (* b (floor-quotient a b)) (modulo a b))) (= (abs (* a b)) (* (gcd a b) (lcm a b)))))))) ; => #t
(print (gcd -4611686018427387904 0) (gcd -4611686018427387904 -4611686018427387904) (gcd 12 -18)) ; => 4611686018427387904 4611686018427387904 6
(print (map (lambda (n) (call-with-values (lambda () (exact-integer-sqrt n)) list)) '(0 1 3 4 4611686014132420608 4611686014132420609 4611686018427387903 4611686018427387904))) ; => ((0 0) (1 0) (1 2) (2 0) (2147483646 4294967292) (2147483647 0) (2147483647 4294967294) (2147483648 0))
(print (expt 2 61) (expt 2 62) (expt -2 62) (expt -2 63) (expt 0 0) (expt -1 4611686018427387903) (expt 3037000499 2) (expt 2 -2)) ; => 2305843009213693952 4611686018427387904 4611686018427387904 -9223372036854775808 1 -1 9223372030926249001 1/4
