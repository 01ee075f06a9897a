;; number.lisp - procedures of numbers, expressed by primitives.

(define (1+ number)
  "The number plus one."
  (+ number 1))

(define (1- number)
  "The number less one."
  (- number 1))

(define (rationalize x tolerance)
  "The simplest rational number that differs from x by at most the tolerance:
of the smallest denominator, and then of the smallest numerator."
  (%check-number "rationalize" x)
  (%check-number "rationalize" tolerance)
  (cond ((and (exact? x) (exact? tolerance))
         (%simplest-between (- x (abs tolerance)) (+ x (abs tolerance))))
        ((or (nan? x) (nan? tolerance)) +nan.0)
        ((infinite? tolerance) (if (infinite? x) +nan.0 0.0))
        ((infinite? x) x)
        (else (inexact (rationalize (exact x) (exact tolerance))))))

(define (%check-number who x)
  "Raise an error unless x is a number."
  (unless (number? x) (wrong-type who "a number" x)))

(define (%simplest-between low high)
  "The simplest rational number from low to high, both exact."
  (cond ((positive? low) (%simplest-positive low high))
        ((negative? high) (- (%simplest-positive (- high) (- low))))
        (else 0)))

(define (%simplest-positive low high)
  "The same of positive numbers, by their continued fractions."
  (let ((whole (floor low)))
    (cond ((= whole low) whole)
          ((< whole (floor high)) (+ whole 1))
          (else (+ whole
                   (/ (%simplest-positive (/ (- high whole))
                                          (/ (- low whole)))))))))

;; Two results.

(define (floor/ n d)
  "The quotient rounded down, and the remainder, which has the sign of d."
  (let ((quotient (%floor/ n d)))
    (values quotient (floor-remainder n d))))

(define (truncate/ n d)
  "The quotient rounded towards zero, and the remainder, which has the sign of
  n."
  (let ((quotient (%truncate/ n d)))
    (values quotient (truncate-remainder n d))))

(define (exact-integer-sqrt n)
  "The largest integer whose square is not above n, and the difference."
  (let ((root (%exact-integer-sqrt n)))
    (values root (- n (square root)))))

;; The procedures of complex numbers, for real numbers only.

(define (real-part x)
  "x itself: all numbers are real."
  (if (number? x) x (wrong-type "real-part" "a number" x)))

(define (imag-part x)
  "0, as for every real number."
  (if (number? x) 0 (wrong-type "imag-part" "a number" x)))

(define (magnitude x)
  "The absolute value."
  (if (number? x) (abs x) (wrong-type "magnitude" "a number" x)))

(define (angle x)
  "0, or pi for a negative number."
  (cond ((not (number? x)) (wrong-type "angle" "a number" x))
        ((negative? x) (acos -1))
        (else 0)))

(define (make-rectangular x y)
  "x, if y is an exact 0: all numbers are real."
  (if (eqv? y 0) (real-part x) (%no-complex "make-rectangular")))

(define (make-polar magnitude angle)
  "The magnitude, if the angle is an exact 0."
  (if (eqv? angle 0) (real-part magnitude) (%no-complex "make-polar")))

(define (%no-complex who)
  (error (string who ": complex numbers are not supported")))
