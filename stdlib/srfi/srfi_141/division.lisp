;; division.lisp - what (import (srfi 141)) adds: the integer divisions of which
;; the quotient is not rounded down or towards zero.
;;
;; All return integers q and r such that n = d q + r.

(define (%check-division who n d)
  "Raise an error unless n and d are integers, and d is not 0."
  (unless (integer? n) (wrong-type who "an integer" n))
  (unless (integer? d) (wrong-type who "an integer" d))
  (when (= d 0) (error (string who ": division by zero:") n d)))

(define (%with-remainder n d q)
  "Two values: the quotient, and the remainder that belongs to it."
  (values q (- n (* d q))))

(define (%remainder-of n d q)
  "The remainder that belongs to a quotient."
  (- n (* d q)))

;; The quotient rounded up.

(define (ceiling/ n d)
  "The quotient rounded up, and the remainder, which has the other sign than d
  or is 0."
  (%with-remainder n d (%ceiling-quotient "ceiling/" n d)))

(define (ceiling-quotient n d)
  "The quotient rounded up: (ceiling-quotient 7 2) is 4."
  (%ceiling-quotient "ceiling-quotient" n d))

(define (ceiling-remainder n d)
  "The remainder of ceiling-quotient: (ceiling-remainder 7 2) is -1."
  (%remainder-of n d (%ceiling-quotient "ceiling-remainder" n d)))

(define (%ceiling-quotient who n d)
  (%check-division who n d)
  (- (floor-quotient (- n) d)))

;; The quotient rounded to the nearest integer, or to the even one of two.

(define (round/ n d)
  "The quotient rounded to the nearest integer, of two to the even one, and the
  remainder."
  (%with-remainder n d (%round-quotient "round/" n d)))

(define (round-quotient n d)
  "The quotient rounded to the nearest integer, of two to the even one:
  (round-quotient 7 2) is 4, (round-quotient 5 2) is 2."
  (%round-quotient "round-quotient" n d))

(define (round-remainder n d)
  "The remainder of round-quotient: (round-remainder 7 2) is -1."
  (%remainder-of n d (%round-quotient "round-remainder" n d)))

(define (%round-quotient who n d)
  (%check-division who n d)
  (let* ((down (floor-quotient n d))
         (twice (* 2 (abs (floor-remainder n d))))
         (size (abs d)))
    (cond ((< twice size) down)
          ((> twice size) (+ down 1))
          ((even? down) down)
          (else (+ down 1)))))

;; The remainder from 0.

(define (euclidean/ n d)
  "The quotient such that the remainder is at least 0, and the remainder, which
  is less than the absolute value of d."
  (%with-remainder n d (%euclidean-quotient "euclidean/" n d)))

(define (euclidean-quotient n d)
  "The quotient such that the remainder is at least 0:
  (euclidean-quotient -7 -2) is 4."
  (%euclidean-quotient "euclidean-quotient" n d))

(define (euclidean-remainder n d)
  "The remainder of euclidean-quotient: (euclidean-remainder -7 -2) is 1."
  (%remainder-of n d (%euclidean-quotient "euclidean-remainder" n d)))

(define (%euclidean-quotient who n d)
  (%check-division who n d)
  (if (positive? d) (floor-quotient n d) (- (floor-quotient n (- d)))))

;; The remainder from minus a half of d.

(define (balanced/ n d)
  "The quotient such that the remainder is at least minus a half of the absolute
  value of d, and less than its half, and the remainder."
  (%with-remainder n d (%balanced-quotient "balanced/" n d)))

(define (balanced-quotient n d)
  "The quotient whose remainder is at least minus a half of the absolute value
  of d, and less than its half: (balanced-quotient 7 4) is 2."
  (%balanced-quotient "balanced-quotient" n d))

(define (balanced-remainder n d)
  "The remainder of balanced-quotient: (balanced-remainder 7 4) is -1."
  (%remainder-of n d (%balanced-quotient "balanced-remainder" n d)))

(define (%balanced-quotient who n d)
  (%check-division who n d)
  (let* ((size (abs d))
         (down (floor-quotient n size))
         (up? (>= (* 2 (floor-remainder n size)) size))
         (q (if up? (+ down 1) down)))
    (if (positive? d) q (- q))))
