;; flonums.lisp - what (import (srfi 144)) means: procedures of flonums.
;;
;; A flonum is an inexact number.  All procedures are defined by those of all
;; numbers, so both back ends return the same; what is not a flonum is an error.

(define (flonum? x)
  "Whether x is a flonum, an inexact real number."
  (and (number? x) (inexact? x)))

(define (%check-flonum who x)
  "Raise an error unless x is a flonum."
  (unless (flonum? x) (wrong-type who "a flonum" x)))

(define (%check-all who numbers)
  "Raise an error unless all are flonums."
  (for-each (lambda (x) (%check-flonum who x)) numbers))

(define (flonum number)
  "The flonum that is nearest to a number."
  (unless (number? number) (wrong-type "flonum" "a number" number))
  (inexact number))

;; Parts.

(define %least-normal 2.2250738585072014e-308)

(define (%is-finite? x) (< -inf.0 x +inf.0))

(define (%is-negative? x)
  "Whether the sign bit is set, of a number that is not a nan."
  (or (< x 0.) (eqv? x -0.)))

(define (%floor-log2 x)
  "The exponent of a finite number that is not 0."
  (let ((q (exact (abs x))))
    (- (integer-length (numerator q)) (integer-length (denominator q)))))

(define (%power-of-2 k)
  "2 to an exact power, as an exact number."
  (if (< k 0) (/ 1 (expt 2 (- k))) (expt 2 k)))

(define %most-shift 3000)   ; beyond it every product is 0 or infinite

(define (make-flonum x n)
  "x times 2 to the power of n, an exact integer."
  (%check-flonum "make-flonum" x)
  (unless (exact-integer? n) (wrong-type "make-flonum" "an exact integer" n))
  (if (or (not (%is-finite? x)) (= x 0.))
      x
      (%with-sign (inexact (* (exact (abs x))
                              (%power-of-2 (max (- %most-shift)
                                                (min n %most-shift)))))
                  x)))

(define (%with-sign magnitude x)
  "A number that is not negative, with the sign of another one."
  (if (%is-negative? x) (- magnitude) magnitude))

(define (flcopysign x y)
  "The absolute value of x with the sign of y."
  (%check-all "flcopysign" (list x y))
  (%with-sign (abs x) y))

(define (fladjacent x y)
  "The flonum next to x in the direction of y; y if they are equal."
  (%check-all "fladjacent" (list x y))
  (cond ((or (nan? x) (nan? y)) +nan.0)
        ((= x y) y)
        ((= x 0.) (if (> y 0.) fl-least (- fl-least)))
        ((not (%is-finite? x)) (%with-sign fl-greatest x))
        ((eq? (< x y) (> x 0.))
         (inexact (+ (exact x) (%signed (%unit x) x))))
        ((and (> (abs x) %least-normal)
              (= (exact (abs x)) (%power-of-2 (%floor-log2 x))))
         (inexact (- (exact x) (%signed (/ (%unit x) 2) x))))
        (else
         (%with-sign (abs (inexact (- (exact x) (%signed (%unit x) x)))) x))))

(define (%unit x)
  "How far the next flonum away from 0 is."
  (%power-of-2 (max (- (%floor-log2 x) 52) -1074)))

(define (%signed amount x)
  (if (< x 0.) (- amount) amount))

(define (flinteger-fraction x)
  "Two values: the integer part of x, and the rest."
  (%check-flonum "flinteger-fraction" x)
  (if (%is-finite? x)
      (let ((whole (truncate x)))
        (values whole (%with-sign (abs (- x whole)) x)))
      (values x (if (nan? x) x (%with-sign 0. x)))))

(define (flinteger-exponent x)
  "The exponent of x, an exact integer: x is at least 2 to that power."
  (%check-flonum "flinteger-exponent" x)
  (cond ((not (%is-finite? x)) fl-integer-exponent-nan)
        ((= x 0.) fl-integer-exponent-zero)
        (else (%fixed-exponent x))))

(define (%fixed-exponent x)
  "The greatest k for which 2 to the power of k is at most x."
  (let ((k (%floor-log2 x)))
    (if (> (%power-of-2 k) (exact (abs x))) (- k 1) k)))

(define (flexponent x)
  "flinteger-exponent as a flonum; of 0, the negative infinity."
  (%check-flonum "flexponent" x)
  (cond ((nan? x) x)
        ((= x 0.) -inf.0)
        ((%is-finite? x) (inexact (%fixed-exponent x)))
        (else +inf.0)))

(define (flnormalized-fraction-exponent x)
  "Two values, y from 1/2 to 1, which is excluded, and an exact integer k,
  where x is y times 2 to the power of k."
  (%check-flonum "flnormalized-fraction-exponent" x)
  (if (or (not (%is-finite? x)) (= x 0.))
      (values x 0)
      (let ((k (+ 1 (%fixed-exponent x))))
        (values (inexact (* (exact x) (%power-of-2 (- k)))) k))))

(define (flsign-bit x)
  "1 if x is negative or -0., otherwise 0."
  (%check-flonum "flsign-bit" x)
  (if (%is-negative? x) 1 0))

;; Predicates.

(define (fl=? x y . others)
  "Whether all are equal."
  (%check-all "fl=?" (cons* x y others))
  (apply = x y others))

(define (fl<? x y . others)
  "Whether the flonums increase."
  (%check-all "fl<?" (cons* x y others))
  (apply < x y others))

(define (fl>? x y . others)
  "Whether the flonums decrease."
  (%check-all "fl>?" (cons* x y others))
  (apply > x y others))

(define (fl<=? x y . others)
  "Whether no flonum is less than the one before."
  (%check-all "fl<=?" (cons* x y others))
  (apply <= x y others))

(define (fl>=? x y . others)
  "Whether no flonum is greater than the one before."
  (%check-all "fl>=?" (cons* x y others))
  (apply >= x y others))

(define (flunordered? x y)
  "Whether one of the two is a nan."
  (%check-all "flunordered?" (list x y))
  (or (nan? x) (nan? y)))

(define (flinteger? x)
  "Whether x is an integer."
  (%check-flonum "flinteger?" x)
  (and (%is-finite? x) (= x (truncate x))))

(define (flzero? x)
  "Whether x is 0."
  (%check-flonum "flzero?" x)
  (= x 0.))

(define (flpositive? x)
  "Whether x is positive."
  (%check-flonum "flpositive?" x)
  (> x 0.))

(define (flnegative? x)
  "Whether x is negative."
  (%check-flonum "flnegative?" x)
  (< x 0.))

(define (flodd? x)
  "Whether an integer is odd."
  (%check-flonum "flodd?" x)
  (unless (flinteger? x) (wrong-type "flodd?" "an integer" x))
  (odd? x))

(define (fleven? x)
  "Whether an integer is even."
  (%check-flonum "fleven?" x)
  (unless (flinteger? x) (wrong-type "fleven?" "an integer" x))
  (even? x))

(define (flfinite? x)
  "Whether x is neither infinite nor a nan."
  (%check-flonum "flfinite?" x)
  (%is-finite? x))

(define (flinfinite? x)
  "Whether x is infinite."
  (%check-flonum "flinfinite?" x)
  (or (= x +inf.0) (= x -inf.0)))

(define (flnan? x)
  "Whether x is a nan."
  (%check-flonum "flnan?" x)
  (nan? x))

(define (flnormalized? x)
  "Whether x is finite, not 0, and not denormalized."
  (%check-flonum "flnormalized?" x)
  (and (%is-finite? x) (>= (abs x) %least-normal)))

(define (fldenormalized? x)
  "Whether x is nearer to 0 than the least normalized number, and not 0."
  (%check-flonum "fldenormalized?" x)
  (and (not (= x 0.)) (< (abs x) %least-normal)))

;; Arithmetic.

(define (%without-nans who numbers)
  "The numbers that are not nans."
  (%check-all who numbers)
  (remove nan? numbers))

(define (flmax . numbers)
  "The greatest, without nans; of none, the negative infinity."
  (let ((others (%without-nans "flmax" numbers)))
    (if (and (null? others) (pair? numbers))
        +nan.0
        (fold max -inf.0 others))))

(define (flmin . numbers)
  "The least, without nans; of none, the positive infinity."
  (let ((others (%without-nans "flmin" numbers)))
    (if (and (null? others) (pair? numbers))
        +nan.0
        (fold min +inf.0 others))))

(define (fl+ . numbers)
  "The sum."
  (%check-all "fl+" numbers)
  (if (null? numbers) 0. (apply + numbers)))

(define (fl* . numbers)
  "The product."
  (%check-all "fl*" numbers)
  (if (null? numbers) 1. (apply * numbers)))

(define (fl- x . others)
  "The first less all the others; of one, its negation."
  (%check-all "fl-" (cons x others))
  (if (null? others) (- x) (apply - x others)))

(define (fl/ x . others)
  "The first divided by all the others; of one, its reciprocal."
  (%check-all "fl/" (cons x others))
  (if (null? others) (/ 1. x) (apply / x others)))

(define (fl+* x y z)
  "x y + z, rounded once."
  (%check-all "fl+*" (list x y z))
  (let ((rough (+ (* x y) z)))
    (if (and (%is-finite? x) (%is-finite? y) (%is-finite? z))
        (let ((sum (+ (* (exact x) (exact y)) (exact z))))
          (if (= sum 0) rough (inexact sum)))
        rough)))

(define (flabsdiff x y)
  "The absolute difference."
  (%check-all "flabsdiff" (list x y))
  (abs (- x y)))

(define (flposdiff x y)
  "The difference, if it is positive; otherwise 0."
  (%check-all "flposdiff" (list x y))
  (cond ((flunordered? x y) +nan.0)
        ((> x y) (- x y))
        (else 0.)))

(define (flabs x)
  "The absolute value."
  (%check-flonum "flabs" x)
  (abs x))

(define (flsgn x)
  "1. with the sign of x."
  (%check-flonum "flsgn" x)
  (%with-sign 1. x))

(define (flnumerator x)
  "The numerator of the fraction that x is."
  (%check-flonum "flnumerator" x)
  (if (%is-finite? x) (numerator x) x))

(define (fldenominator x)
  "The denominator of the fraction that x is."
  (%check-flonum "fldenominator" x)
  (cond ((nan? x) x)
        ((%is-finite? x) (denominator x))
        (else 1.)))

(define (flfloor x)
  "The greatest integer that is not above x."
  (%check-flonum "flfloor" x)
  (floor x))

(define (flceiling x)
  "The least integer that is not below x."
  (%check-flonum "flceiling" x)
  (ceiling x))

(define (flround x)
  "The nearest integer, the even one of two."
  (%check-flonum "flround" x)
  (round x))

(define (fltruncate x)
  "The integer part of x."
  (%check-flonum "fltruncate" x)
  (truncate x))

(define (flsquare x)
  "The square."
  (%check-flonum "flsquare" x)
  (* x x))

(define (flsqrt x)
  "The square root; of a negative number, a nan."
  (%check-flonum "flsqrt" x)
  (if (< x 0.) +nan.0 (sqrt x)))

;; Division.

(define (flquotient x y)
  "The integer part of x divided by y."
  (%check-all "flquotient" (list x y))
  (truncate (/ x y)))

(define (flremainder x y)
  "What is left of x after its division by y, with the sign of x."
  (%check-all "flremainder" (list x y))
  (cond ((or (nan? x) (nan? y) (= y 0.) (not (%is-finite? x))) +nan.0)
        ((not (%is-finite? y)) x)
        (else
         (let ((a (exact (abs x))) (b (exact (abs y))))
           (%with-sign (inexact (- a (* b (floor (/ a b))))) x)))))

(define (flremquo x y)
  "Two values: x less the nearest integer multiple of y, and that integer's
  last 31 bits, an exact integer with the sign of the quotient."
  (%check-all "flremquo" (list x y))
  (cond ((or (nan? x) (nan? y) (= y 0.) (not (%is-finite? x)))
         (values +nan.0 0))
        ((not (%is-finite? y)) (values x 0))
        (else
         (let* ((a (exact x)) (b (exact y)) (n (round (/ a b)))
                (rest (- a (* b n)))
                (bits (modulo (abs n) 2147483648)))
           (values (if (= rest 0) (%with-sign 0. x) (inexact rest))
                   (if (< n 0) (- bits) bits))))))

;; Powers and logarithms.

(define (flexp x)
  "e to the power of x."
  (%check-flonum "flexp" x)
  (exp x))

(define (flexp2 x)
  "2 to the power of x."
  (%check-flonum "flexp2" x)
  (flexpt 2. x))

(define (flexp-1 x)
  "e to the power of x, less 1, also accurate near 0."
  (%check-flonum "flexp-1" x)
  (%exp-1 x))

(define (flcbrt x)
  "The cube root."
  (%check-flonum "flcbrt" x)
  (if (or (= x 0.) (not (%is-finite? x)))
      x
      (%with-sign (%cube-root (abs x)) x)))

(define (fllog x)
  "The logarithm; of a negative number, a nan."
  (%check-flonum "fllog" x)
  (%log x))

(define (fllog1+ x)
  "The logarithm of x + 1, also accurate near 0."
  (%check-flonum "fllog1+" x)
  (%log1+ x))

(define (fllog2 x)
  "The logarithm to base 2."
  (%check-flonum "fllog2" x)
  (%log-by x 2))

(define (fllog10 x)
  "The logarithm to base 10."
  (%check-flonum "fllog10" x)
  (%log-by x 10))

(define (%exp-1 x)
  "e to the power of x, less 1: what exp loses is divided out."
  (let ((y (exp x)))
    (cond ((= y 1.) x)
          ((= y +inf.0) y)
          ((= (- y 1.) -1.) -1.)
          (else (/ (* (- y 1.) x) (log y))))))

(define (%log x)
  (cond ((nan? x) x)
        ((< x 0.) +nan.0)
        ((= x 0.) -inf.0)
        (else (log x))))

(define (%log1+ x)
  "The logarithm of 1 + x: what the sum loses is divided out."
  (let ((y (+ 1. x)))
    (cond ((= y 1.) x)
          ((= x +inf.0) x)
          ((> y 0.) (* (log y) (/ x (- y 1.))))
          (else (%log y)))))

(define (%log-by x base)
  "The logarithm to an exact base, exact for its powers."
  (let ((rough (/ (%log x) (log (inexact base)))))
    (if (%is-finite? rough)
        (let ((k (exact (round rough))))
          (if (= x (inexact (if (< k 0) (/ 1 (expt base (- k))) (expt base k))))
              (inexact k)
              rough))
        rough)))

(define (make-fllog-base base)
  "A procedure: the logarithm to a base."
  (%check-flonum "make-fllog-base" base)
  (lambda (x)
    (%check-flonum "make-fllog-base" x)
    (/ (%log x) (%log base))))

(define (%cube-root x)
  "The cube root of a positive number: Newton's step, in exact numbers."
  (let* ((y (exact (exp (/ (log x) 3.)))) (q (exact x)))
    (inexact (- y (/ (- (* y y y) q) (* 3 y y))))))

(define (flhypot x y)
  "The square root of the sum of the squares."
  (%check-all "flhypot" (list x y))
  (let ((a (max (abs x) (abs y))) (b (min (abs x) (abs y))))
    (cond ((or (= (abs x) +inf.0) (= (abs y) +inf.0)) +inf.0)
          ((flunordered? x y) +nan.0)
          ((= a 0.) a)
          (else (let ((ratio (/ b a))) (* a (sqrt (+ 1. (* ratio ratio)))))))))

(define (flexpt x y)
  "x to the power of y; a nan if that is not real."
  (%check-all "flexpt" (list x y))
  (cond ((= y 0.) 1.)
        ((flunordered? x y) (if (= x 1.) 1. +nan.0))
        ((and (< x 0.) (%is-finite? x) (%is-finite? y) (not (= y (truncate y))))
         +nan.0)
        ((and (= x 0.) (< y 0.))
         (if (and (eqv? x -0.) (%is-finite? y) (= y (truncate y)) (odd? y))
             -inf.0
             +inf.0))
        (else (expt x y))))

;; Trigonometry.

(define (flsin x)
  "The sine."
  (%check-flonum "flsin" x)
  (if (%is-finite? x) (sin x) +nan.0))

(define (flcos x)
  "The cosine."
  (%check-flonum "flcos" x)
  (if (%is-finite? x) (cos x) +nan.0))

(define (fltan x)
  "The tangent."
  (%check-flonum "fltan" x)
  (if (%is-finite? x) (tan x) +nan.0))

(define (flasin x)
  "The arcsine."
  (%check-flonum "flasin" x)
  (if (<= -1. x 1.) (asin x) +nan.0))

(define (flacos x)
  "The arccosine."
  (%check-flonum "flacos" x)
  (if (<= -1. x 1.) (acos x) +nan.0))

(define (flsinh x)
  "The hyperbolic sine."
  (%check-flonum "flsinh" x)
  (let ((y (%exp-1 (abs x))))
    (%with-sign (if (= y +inf.0)
                    (%half-exp (abs x))
                    (/ (+ y (/ y (+ y 1.))) 2.))
                x)))

(define (flcosh x)
  "The hyperbolic cosine."
  (%check-flonum "flcosh" x)
  (let ((y (exp (abs x))))
    (if (= y +inf.0) (%half-exp (abs x)) (/ (+ y (/ 1. y)) 2.))))

(define (fltanh x)
  "The hyperbolic tangent."
  (%check-flonum "fltanh" x)
  (let ((y (%exp-1 (* 2. (abs x)))))
    (%with-sign (if (= y +inf.0) 1. (/ y (+ y 2.))) x)))

(define (flasinh x)
  "The inverse of the hyperbolic sine."
  (%check-flonum "flasinh" x)
  (let ((a (abs x)))
    (%with-sign (if (> a 1e150)
                    (+ (%log a) fl-log-2)
                    (%log1+ (+ a (/ (* a a) (+ 1. (sqrt (+ 1. (* a a))))))))
                x)))

(define (flacosh x)
  "The inverse of the hyperbolic cosine."
  (%check-flonum "flacosh" x)
  (cond ((nan? x) x)
        ((< x 1.) +nan.0)
        ((> x 1e150) (+ (%log x) fl-log-2))
        (else (let ((t (- x 1.))) (%log1+ (+ t (sqrt (* t (+ x 1.)))))))))

(define (flatanh x)
  "The inverse of the hyperbolic tangent."
  (%check-flonum "flatanh" x)
  (let ((a (abs x)))
    (cond ((nan? x) x)
          ((> a 1.) +nan.0)
          ((= a 1.) (%with-sign +inf.0 x))
          (else (%with-sign (/ (%log1+ (/ (* 2. a) (- 1. a))) 2.) x)))))

(define (%half-exp x)
  "Half of e to the power of x, where that is too large."
  (let ((y (exp (/ x 2.)))) (* y (/ y 2.))))

(define (flatan y . x)
  "The arctangent; of two arguments, the angle of the point (x, y)."
  (%check-all "flatan" (cons y x))
  (let ((x (%optional "flatan" 1 x #f)))
    (if x (atan y x) (atan y))))
