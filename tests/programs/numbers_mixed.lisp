;; Exact numbers beside doubles, the sign of zeros, texts of exact numbers.
;; `python -m tests.stress.schemes.numbers` compares thousands of such calls with Guile and Chez.
(define (factorial n) (if (= n 0) 1 (* n (factorial (- n 1)))))
(define huge (factorial 171))
;; An exact number that is too large for a double counts as infinite beside one.
(print (* 0.5 (factorial 171)) (* 0.5 huge) (- 1.0 huge) (+ huge 1.5) (* -1 huge 2.0))
; => +inf.0 +inf.0 -inf.0 +inf.0 -inf.0
(print (apply * (list 0.5 huge)) (- (apply - (list 1.0 huge))) (+ 1.0 2 huge))
; => +inf.0 +inf.0 +inf.0
(define ratio (/ (* 7 (expt 3 2000)) 2))
(print (+ ratio 1.0) (- 1.0 ratio) (* ratio -1.0) (- ratio 1.0) (* 0.0 (- ratio)))
; => +inf.0 -inf.0 -inf.0 +inf.0 +nan.0
(define numbers (list 1.0 huge))
(print (+ (car numbers) (cadr numbers)) (* (cadr numbers) 0.0) (- (cadr numbers) (/ 1.0 0.0)))
; => +inf.0 +nan.0 +nan.0
(print (let loop ((i 0) (x 1.5)) (if (< i 3) (loop (+ i 1) (* x (expt 10 200))) x)))  ; => +inf.0
(define (polynomial x y) (+ (* x y) (* y 2.0)))
(print (polynomial huge 2.0) (polynomial 2 huge) (polynomial 2 1.5))  ; => +inf.0 +inf.0 6.0
(print (* 1e-300 (expt 10 308)) (/ huge 2.0) (/ 2.0 huge) (max huge 1.0) (min huge 1.0))
; => 100000000.0 +inf.0 0.0 +inf.0 1.0
(print (< 1.7976931348623157e308 huge) (= (/ 1.0 0.0) huge) (< huge (/ 1.0 0.0)))  ; => #t #f #t
(print (guard (e (#t (error-object-message e))) (+ 'a 1.0)))  ; => +: expected a number, got a
;; A large exponent keeps its parity.
(print (expt -1.0 9007199254740993) (expt -2.0 (+ (expt 10 400) 1)) (expt -2.0 (expt 10 400)))
; => -1.0 -inf.0 +inf.0
(print (expt -0.5 (+ (expt 10 400) 1)) (expt -0.0 (- -1 (expt 10 400))) (expt -0.0 3) (expt -0.0 -3))
; => -0.0 -inf.0 -0.0 -inf.0
;; Roots and logarithms of ratios below the least double.
(print (sqrt (/ 1 (expt 2 1075))) (sqrt (/ 3 (expt 10 500))) (sqrt (/ 2 (expt 10 1001))))
; => 1.5717277847026288e-162 1.7320508075688774e-250 0.0
(print (sqrt (/ 2 (expt 10 2001))) (sqrt (/ 1 (expt 10 40))) (log (/ 3 (expt 2 1075))))
; => 0.0 1/100000000000000000000 -744.0346068132731
;; The sign of zeros.
(print (quotient -1.0 2) (quotient 0.0 -5) (floor-quotient 0.0 -5) (quotient 1 -3.0) (quotient 1.0 2))
; => -0.0 -0.0 -0.0 -0.0 0.0
(print (numerator -0.0) (remainder -4.0 2) (round -0.4) (truncate -0.5))  ; => -0.0 0.0 -0.0 -0.0
;; ~f of exact numbers: all digits, ties to even.
(for-each (lambda (x) (print (format "~,2f" x)))
          (list (expt 10 30) 123456789012345678 1234567890123456789/100 1/200 3/200 -1/200 -7/3 0))
; => 1000000000000000000000000000000.00
; => 123456789012345678.00
; => 12345678901234567.89
; => 0.00
; => 0.02
; => -0.00
; => -2.33
; => 0.00
(print (format "~,0f ~,0f ~,0f ~,1f ~12,3f" 1/2 3/2 5/2 9999/1000 -1/3))
; => 0 2 2 10.0       -0.333
;; Long integers as text.
(define long (expt 7 30000))
(print (= long (string->number (number->string long))) (string-length (number->string long)))
; => #t 25353
(print (= long (string->number (number->string long 3) 3)) (string-length (number->string long 36)))
; => #t 16291
(define text (call-with-output-string (lambda (port) (write (- (/ long 2)) port))))
(print (= (- (/ long 2)) (read (open-input-string text))) (substring text 0 10))  ; => #t -873374339
