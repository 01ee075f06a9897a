;; special-functions.lisp - gamma, Bessel and error functions of (import (srfi
;; 144)).

(define %gamma-shift 7)
(define %gamma-terms   ; Lanczos's, for a shift of 7
  '(0.99999999999980993 676.5203681218851 -1259.1392167224028
    771.32342877765313 -176.61502916214059 12.507343278686905
    -0.13857109526572012 9.9843695780195716e-6 1.5056327351493116e-7))

(define (%gamma-sum x)
  "Lanczos's sum for x + 1."
  (let loop ((k 1) (left (cdr %gamma-terms)) (sum (car %gamma-terms)))
    (if (null? left)
        sum
        (loop (+ k 1) (cdr left) (+ sum (/ (car left) (+ x k)))))))

(define (%log-gamma x)
  "The logarithm of gamma of x, at least 1/2."
  (let* ((x (- x 1.)) (t (+ x %gamma-shift 0.5)))
    (+ (* 0.5 (log fl-2pi))
       (- (* (+ x 0.5) (log t)) t)
       (log (%gamma-sum x)))))

(define (%sine-of-pi x)
  "The sine of pi x, of which whole turns are taken first."
  (let ((r (- x (* 2. (round (/ x 2.))))))
    (sin (* fl-pi r))))

(define (flgamma x)
  "The gamma function: (flgamma 5.) is 24., the factorial of 4."
  (%check-flonum "flgamma" x)
  (cond ((or (nan? x) (= x +inf.0)) x)
        ((= x 0.) (%with-sign +inf.0 x))
        ((or (= x -inf.0) (and (< x 0.) (= x (floor x)))) +nan.0)
        ((and (= x (floor x)) (< x 172.))
         (inexact (%factorial (- (exact x) 1))))
        ((< x 0.5) (/ fl-pi (* (%sine-of-pi x) (flgamma (- 1. x)))))
        ((> x 172.) +inf.0)
        (else
         (let* ((y (- x 1.)) (t (+ y %gamma-shift 0.5))
                (half (expt t (/ (+ y 0.5) 2.))))   ; the power may be too large
           (* (sqrt fl-2pi) half (exp (- t)) half (%gamma-sum y))))))

(define (%factorial n)
  (let loop ((k 2) (product 1))
    (if (> k n) product (loop (+ k 1) (* product k)))))

(define (flloggamma x)
  "Two values: the logarithm of the absolute value of gamma of x, and the sign
  of gamma, 1. or -1."
  (%check-flonum "flloggamma" x)
  (cond ((nan? x) (values x x))
        ((not (%is-finite? x)) (values +inf.0 1.))
        ((and (<= x 0.) (= x (floor x))) (values +inf.0 1.))
        ((< x 0.5)
         (let ((sine (%sine-of-pi x)))
           (values (- (log fl-pi) (log (abs sine)) (%log-gamma (- 1. x)))
                   (if (< sine 0.) -1. 1.))))
        ((or (= x 1.) (= x 2.)) (values 0. 1.))
        (else (values (%log-gamma x) 1.))))

;; Bessel functions.  Up to %most-series the power series is summed in integers,
;; scaled by a power of 2, because its terms cancel; beyond it the asymptotic
;; series are accurate.

(define %most-series 40.)
(define %series-bits 256)

(define (%power-series x n weight)
  "The sum over k of (-1)^k weight(k) (x/2)^2k n! / (k! (n+k)!)."
  (let* ((scale (expt 2 %series-bits))
         (q (round (* scale (square (/ (exact x) 2))))))
    (let loop ((k 0) (term scale) (sum 0))
      (if (= term 0)
          (inexact (/ sum scale))
          (loop (+ k 1)
                (- (quotient (quotient (* term q) scale)
                             (* (+ k 1) (+ n k 1))))
                (+ sum (* term (weight k))))))))

(define (%small-first n x)
  "The Bessel function of the first kind by its power series."
  (let loop ((k 1) (factor 1.))
    (if (> k n)
        (* factor (%power-series x n (lambda (k) 1)))
        (loop (+ k 1) (* factor (/ (/ x 2.) k))))))

(define (%harmonic k)
  "1 + 1/2 + ... + 1/k, exact to 200 bits."
  (let loop ((i 1) (sum 0))
    (if (> i k)
        (/ sum (expt 2 200))
        (loop (+ i 1) (+ sum (quotient (expt 2 200) i))))))

(define (%small-second n x)
  "The Bessel function of the second kind of order 0 or 1 by series."
  (let ((part (* fl-2/pi (+ (log (/ x 2.)) fl-euler) (%small-first n x))))
    (if (= n 0)
        (- part (* fl-2/pi (%power-series x 0 %harmonic)))
        (- part
           (/ 2. (* fl-pi x))
           (* fl-1/pi (/ x 2.)
              (%power-series x 1 (lambda (k)
                                   (+ (%harmonic k) (%harmonic (+ k 1))))))))))

(define (%large n x second?)
  "A Bessel function of order 0 or 1 of a large x."
  (let ((mu (* 4. n n)) (angle (- x (* fl-pi (+ (/ n 2.) 0.25)))))
    (let loop ((k 0) (term 1.) (p 0.) (q 0.))
      (if (or (< (abs term) 1e-18) (> k 60))
          (* (sqrt (/ fl-2/pi x))
             (if second?
                 (+ (* p (sin angle)) (* q (cos angle)))
                 (- (* p (cos angle)) (* q (sin angle)))))
          (let ((signed (if (< (modulo k 4) 2) term (- term))))
            (loop (+ k 1)
                  (/ (* term (- mu (square (+ (* 2. k) 1.))))
                     (* 8. x (+ k 1)))
                  (if (even? k) (+ p signed) p)
                  (if (odd? k) (+ q signed) q)))))))

(define (%upward n x first second)
  "The function of order n from those of orders 0 and 1."
  (if (= n 0)
      first
      (let loop ((k 1) (before first) (now second))
        (if (= k n)
            now
            (loop (+ k 1) now (- (* (/ (* 2. k) x) now) before))))))

(define (%downward n x)
  "The Bessel function of the first kind of an order above a large x: the ratio
  to order 0 by the recurrence from a much greater order."
  (let loop ((k (+ n 60 (exact (ceiling (sqrt (* 60. n))))))
             (above 0.) (now 1e-280) (result 0.))
    (cond ((= k 0) (* (%large 0 x #f) (/ result now)))
          ((> (abs now) 1e200)
           (loop k (* above 1e-250) (* now 1e-250) (* result 1e-250)))
          (else
           (let ((below (- (* (/ (* 2. k) x) now) above)))
             (loop (- k 1) now below (if (= (- k 1) n) below result)))))))

(define (%check-order who n)
  "Raise an error unless n is an exact integer."
  (unless (exact-integer? n) (wrong-type who "an exact integer" n)))

(define (flfirst-bessel n x)
  "The Bessel function of the first kind, J, of an order n, an exact integer."
  (%check-order "flfirst-bessel" n)
  (%check-flonum "flfirst-bessel" x)
  (cond ((nan? x) x)
        ((< n 0) (%flipped n (flfirst-bessel (- n) x)))
        ((< x 0.) (%flipped n (flfirst-bessel n (- x))))
        ((= x +inf.0) 0.)
        ((<= x %most-series) (%small-first n x))
        ((> n x) (%downward n x))
        (else (%upward n x (%large 0 x #f) (%large 1 x #f)))))

(define (flsecond-bessel n x)
  "The Bessel function of the second kind, Y, of an order n, an exact integer;
  of a negative x, a nan."
  (%check-order "flsecond-bessel" n)
  (%check-flonum "flsecond-bessel" x)
  (cond ((or (nan? x) (< x 0.)) +nan.0)
        ((< n 0) (%flipped n (flsecond-bessel (- n) x)))
        ((= x 0.) -inf.0)
        ((= x +inf.0) 0.)
        ((<= x %most-series)
         (%upward n x (%small-second 0 x) (%small-second 1 x)))
        (else (%upward n x (%large 0 x #t) (%large 1 x #t)))))

(define (%flipped n x)
  "x, negated if n is odd."
  (if (odd? n) (- x) x))

;; The error function.

(define (%erf-series x)
  "erf by a series of positive terms."
  (let loop ((k 1) (term x) (sum x))
    (if (<= term (* sum 1e-18))
        (* fl-2/sqrt-pi (exp (- (* x x))) sum)
        (let ((term (/ (* term 2. x x) (+ (* 2. k) 1.))))
          (loop (+ k 1) term (+ sum term))))))

(define (%erfc-fraction x)
  "erfc of a large x by its continued fraction."
  (let loop ((k 80) (tail 0.))
    (if (= k 0)
        (/ (exp (- (* x x))) (* (sqrt fl-pi) (+ x tail)))
        (loop (- k 1) (/ (/ k 2.) (+ x tail))))))

(define %most-erf-series 2.)

(define (flerf x)
  "The error function."
  (%check-flonum "flerf" x)
  (let ((a (abs x)))
    (cond ((or (nan? x) (= x 0.)) x)
          ((<= a %most-erf-series) (%with-sign (%erf-series a) x))
          ((> a 6.) (%with-sign 1. x))
          (else (%with-sign (- 1. (%erfc-fraction a)) x)))))

(define (flerfc x)
  "1 less the error function, also accurate for a large x."
  (%check-flonum "flerfc" x)
  (cond ((nan? x) x)
        ((> x 28.) 0.)
        ((> x %most-erf-series) (%erfc-fraction x))
        (else (- 1. (flerf x)))))
