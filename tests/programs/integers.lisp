; Exact integers have no bound: overflow moves to GMP and back without a trace.
(print (+ 4611686018427387903 1))                 ; => 4611686018427387904
(print (- -4611686018427387904 1))                ; => -4611686018427387905
(print (* 4611686018427387904 2))                 ; => 9223372036854775808
(print (* 3037000500 3037000500))                 ; => 9223372037000250000
(print (- (* 3037000500 3037000500) 9223372037000249999)) ; => 1
(define (factorial n) (if (= n 0) 1 (* n (factorial (- n 1)))))
(print (factorial 25))                            ; => 15511210043330985984000000
(print (quotient (factorial 25) (factorial 24)))  ; => 25
(print (quotient -7 2) (remainder -7 2) (modulo -7 2)) ; => -3 -1 1
(print (quotient 7 -2) (remainder 7 -2) (modulo 7 -2)) ; => -3 1 -1
(print (quotient -4611686018427387904 -1))        ; => 4611686018427387904
(print (modulo (expt 10 20) 7) (modulo (- (expt 10 20)) 7)) ; => 2 5
(print (gcd 48 -36) (lcm 4 -6) (gcd) (lcm 0 5))   ; => 12 12 0 0
(print (expt 2 62) (expt 2 63) (expt -2 63))      ; => 4611686018427387904 9223372036854775808 -9223372036854775808
(print (expt 0 0) (expt 7 0) (expt 2 -3))         ; => 1 1 1/8
(print (abs -4611686018427387904))                ; => 4611686018427387904
(print (= (expt 3 50) (* (expt 3 25) (expt 3 25)))) ; => #t
(print (< (expt 2 100) (expt 2 101)) (eqv? (expt 2 80) (expt 2 80))) ; => #t #t
(print (even? (expt 2 70)) (odd? 3) (odd? -3) (zero? 0)) ; => #t #t #t #t
(print (number->string 255 16) (number->string -255 2)) ; => ff -11111111
(print (string->number "123456789012345678901234567890")) ; => 123456789012345678901234567890
(print (string->number "ff" 16) (string->number "zz")) ; => 255 #f
(print #xff #b101 #o17 -0)                        ; => 255 5 15 0
