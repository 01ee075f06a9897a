; Read numbers and texts of numbers, and print the results of all operations
; on them, errors included: tests/suites/syntax/test_numbers.py compares the back ends.
;
;     text "#e1.5"     numbers 1/2 -0.0     bits 5 -3
;
; A text that is not a number becomes #f, which stands for any other wrong operand.

(define-syntax show
  (syntax-rules ()
    ((_ label value ...)
     (begin (display label) (show-value (lambda () value)) ... (newline)))))

(define (show-value compute)
  (display " ")
  (write (guard (e ((error-object? e) (error-object-message e))) (compute))))

(define (again x radix)
  (string->number (number->string x radix) radix))

(define (results . numbers) numbers)

(define (show-one x)
  (show "kinds" (exact? x) (inexact? x) (integer? x) (rational? x)
        (exact-integer? x) (exact-rational? x) (nan? x) (finite? x)
        (infinite? x) (zero? x) (positive? x) (negative? x) (even? x) (odd? x))
  (show "text" x (again x 10) (eqv? x (again x 10)) (number->string x 2)
        (number->string x 16) (number->string x 36) (again x 3) (again x 36))
  (show "signs" (- x) (abs x) (square x) (inexact x) (+ x) (* x) (/ x))
  (show "round" (floor x) (ceiling x) (truncate x) (round x))
  (show "curves" (sin x) (cos x) (tan x) (asin x) (acos x) (atan x) (tanh x)
        (exp x))
  (show "roots" (sqrt x) (log x) (log x 3)
        (call-with-values (lambda () (exact-integer-sqrt x)) results))
  (show "parts" (exact x) (numerator x) (denominator x) (= x (exact x))))

(define (show-two x y)
  (show "sums" (+ x y) (- x y) (* x y) (/ x y))
  (show "order" (= x y) (< x y) (> x y) (<= x y) (>= x y) (max x y) (min x y)
        (eqv? x y) (equal? x y))
  (show "division" (quotient x y) (remainder x y) (modulo x y)
        (floor-quotient x y) (floor-remainder x y) (truncate-quotient x y)
        (truncate-remainder x y) (gcd x y) (lcm x y)
        (call-with-values (lambda () (floor/ x y)) results)
        (call-with-values (lambda () (truncate/ x y)) results))
  (unless (and (exact-rational? x) (exact-integer? y)
               (< 40 (abs y) (expt 2 34)))   ; takes all day
    (show "power" (expt x y)))
  (show "others" (atan x y) (log x y) (rationalize x y)))

(define (show-bits x y)
  (show "bits" (bitwise-and x y) (bitwise-ior x y) (bitwise-xor x y)
        (bitwise-not x) (bit-count x) (arithmetic-shift x (modulo y 200))
        (arithmetic-shift x (- (modulo y 200))))
  (show "random" (begin (random-seed! x) 0) (random y) (random y)
        (random 1e10) (random 100) (random)))

(define (show-text text)
  (show "numbers" (string->number text) (string->number text 2)
        (string->number text 8) (string->number text 16)
        (string->number text 36) (string->symbol text)))

; The same operations inline, on values whose types the compiler has proved.
(define (show-doubles x y)
  (let ((x (* 1.0 (inexact x))) (y (* 1.0 (inexact y))))
    (show "doubles" (+ x y) (- x y) (* x y) (/ x y) (max x y) (min x y)
          (max x 0) (/ x 2) (= x y) (< x 0) (abs x) (square x) (- x) (sqrt x)
          (expt x y) (expt x 2) (floor x) (ceiling x) (truncate x) (round x)
          (exact x) (exact (round x)) (zero? x) (positive? x) (negative? x)
          (nan? x) (finite? x) (infinite? x) (sin x) (exp x))))

; And on values of unknown type, with doubles unboxed.
(define (show-unboxed x y)
  (show "unboxed" (+ (* x y) (- x y)) (/ (+ x 1) (- y))
        (sqrt (+ (* x x) (* y y))) (< (* x 2) (+ y 1)) (= (+ x 0) (* y 1))
        (- (floor (* x 3)) (round (/ y 3)))
        (+ (ceiling (* x 1/2)) (truncate (* y 1.5))) (max (+ x 1) (* y 1.0))
        (min (* x 1) (+ y 1)) (+ (max (* x y) 1/2) (min (+ x y) 2))
        (+ 1 (exp (- (abs x)))) (* 2 (sin (+ x 0)))
        (- (cos (* y 1)) (tanh (* x 2))) (* 2 (tan (* x 1.0)))
        (+ (expt (* 1.0 (abs x)) 2) (expt (+ x 0.5) (+ y 0.0)))
        (* 1.0 (inexact (+ x y))) (zero? (- x y)) (positive? (* x y))
        (negative? (- x y)) (/ (* x 1.0) (* y 0)) (/ (* x 1.0) 0)
        (/ (- x) (- y y)) (+ (log (* 1.0 (inexact x))) (atan (inexact y)))
        (+ 1 (square (* x 1))) (atan (inexact x) (inexact y))))

(define (show-line line)
  (let* ((parts (string-split line " ")) (kind (car parts)))
    (display line)
    (newline)
    (cond ((string=? kind "text") (show-text (cadr parts)))
          ((string=? kind "numbers")
           (let ((x (string->number (cadr parts)))
                 (y (string->number (caddr parts))))
             (show-one x)
             (show-two x y)
             (show-unboxed x y)
             (if (and (number? x) (number? y)) (show-doubles x y))))
          (else
           (show-bits (string->number (cadr parts))
                      (string->number (caddr parts)))))))

(let* ((port (open-input-file (cadr (command-line)))))
  (let loop ()
    (let ((line (read-line port)))
      (unless (eof-object? line)
        (show-line line)
        (loop))))
  (close-port port))
