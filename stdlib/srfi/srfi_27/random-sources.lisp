;; random-sources.lisp - what (import (srfi 27)) means: sources of random
;; numbers, each with a state of its own.
;;
;; The generator is L'Ecuyer's MRG32k3a (1999): two linear recurrences of order
;; 3 modulo %m1 and %m2, whose difference is the next number.  A state is six
;; numbers, of which neither the first three nor the last three are all 0.
;; `random` and `random-seed` have another generator.

(define %m1 4294967087)
(define %m2 4294944443)

(define-record-type <random-source>
  (%new-source state)
  random-source?
  (state %state %put-state!))   ; a vector of six numbers

(define (%check-source who x)
  "Raise an error unless x is a random source."
  (unless (random-source? x) (wrong-type who "a random source" x)))

(define (%check-positive who n)
  "Raise an error unless n is an exact integer above 0."
  (unless (and (exact-integer? n) (> n 0))
    (wrong-type who "a positive exact integer" n)))

(define (%first-state)
  "The state of a new source: always the same."
  (vector 12345 12345 12345 12345 12345 12345))

(define (%step! source)
  "The next number of a source, from 0 to %m1 - 1."
  (let* ((s (%state source))
         (x (modulo (- (* 1403580 (vector-ref s 1)) (* 810728 (vector-ref s 0)))
                    %m1))
         (y (modulo (- (* 527612 (vector-ref s 5)) (* 1370589 (vector-ref s 3)))
                    %m2)))
    (vector-set! s 0 (vector-ref s 1))
    (vector-set! s 1 (vector-ref s 2))
    (vector-set! s 2 x)
    (vector-set! s 3 (vector-ref s 4))
    (vector-set! s 4 (vector-ref s 5))
    (vector-set! s 5 y)
    (modulo (- x y) %m1)))

(define (%below! source n)
  "A random integer from 0 to n - 1, each as likely as the others."
  (let loop ((range %m1) (x (%step! source)))
    (if (< range n)
        (loop (* range %m1) (+ (* x %m1) (%step! source)))
        ;; Numbers above the last multiple of n would make the small ones
        ;; likelier, so they are drawn again.
        (if (< x (* n (quotient range n)))
            (modulo x n)
            (%below! source n)))))

(define (%real! source)
  "A random double between 0 and 1, both excluded."
  (/ (+ (%below! source 9007199254740991) 1.0) 9007199254740992.0))

;; The default source.

(define default-random-source
  (%new-source (vector 12345 12345 12345 12345 12345 12345)))

(define (random-integer n)
  "A random integer from 0 to n - 1, from the default source."
  (%check-positive "random-integer" n)
  (%below! default-random-source n))

(define (random-real)
  "A random double between 0 and 1, both excluded, from the default source."
  (%real! default-random-source))

;; Sources.

(define (make-random-source)
  "A new random source.  All new ones return the same numbers:
  random-source-randomize! and random-source-pseudo-randomize! change that."
  (%new-source (%first-state)))

(define (random-source-state-ref source)
  "The state of a source: a list, for random-source-state-set!."
  (%check-source "random-source-state-ref" source)
  (cons 'mrg32k3a (vector->list (%state source))))

(define (random-source-state-set! source state)
  "Let a source continue as the one did whose state it is."
  (%check-source "random-source-state-set!" source)
  (unless (%state? state)
    (wrong-type "random-source-state-set!" "a state of a random source" state))
  (%put-state! source (list->vector (cdr state))))

(define (%state? x)
  "Whether x is what random-source-state-ref returns."
  (and (list? x)
       (= (length x) 7)
       (eq? (car x) 'mrg32k3a)
       (%recurrence-state? (take (cdr x) 3) %m1)
       (%recurrence-state? (drop x 4) %m2)))

(define (%recurrence-state? numbers modulus)
  "Whether they are the state of one of the recurrences."
  (and (every (lambda (n) (and (exact-integer? n) (< -1 n modulus))) numbers)
       (any positive? numbers)))

(define (%seed! source next)
  "Give a source a state of the numbers that next returns."
  (define (three modulus)
    (let ((numbers (list (modulo (next) modulus) (modulo (next) modulus))))
      (cons (+ 1 (modulo (next) (- modulus 1))) numbers)))
  (let ((first (three %m1)))
    (%put-state! source (list->vector (append first (three %m2))))))

(define (random-source-randomize! source)
  "Give a source a state that depends on the time."
  (%check-source "random-source-randomize!" source)
  (let ((x (+ (exact (round (* 1000000 (current-second)))) (current-jiffy))))
    (%seed! source (%mixer (+ 1 (* 2 x))))))

(define (random-source-pseudo-randomize! source i j)
  "Give a source a state that depends on two integers from 0 only."
  (%check-source "random-source-pseudo-randomize!" source)
  (%check-index "random-source-pseudo-randomize!" i)
  (%check-index "random-source-pseudo-randomize!" j)
  ;; Different pairs have different sums of squares and i, by Cantor's pairing.
  (%seed! source (%mixer (* 2 (+ (quotient (* (+ i j) (+ i j 1)) 2) j)))))

(define (%mixer seed)
  "A procedure that returns numbers of 64 bits that depend on all of a seed."
  (let ((n (+ seed 1)) (k 0))
    (lambda ()
      (set! k (+ k 1))
      (%mixed-bits (+ (* n 11400714819323198485) (* k 7046029254386353131))))))

(define (%mixed-bits n)
  "64 bits of n, of all sizes, each of which depends on all its bits."
  (let loop ((left n) (x 0))
    (let ((mixed (%mix-64 (bitwise-xor x (bitwise-and left 18446744073709551615))))
          (rest (arithmetic-shift left -64)))
      (if (= rest 0) mixed (loop rest mixed)))))

(define (%mix-64 x)
  "The finalizer of MurmurHash3, of 64 bits."
  (let* ((a (bitwise-xor x (arithmetic-shift x -33)))
         (b (bitwise-and (* a 18397679294719823053) 18446744073709551615))
         (c (bitwise-xor b (arithmetic-shift b -33)))
         (d (bitwise-and (* c 14181476777654086739) 18446744073709551615)))
    (bitwise-xor d (arithmetic-shift d -33))))

(define (random-source-make-integers source)
  "A procedure of n that returns a random integer from 0 to n - 1."
  (%check-source "random-source-make-integers" source)
  (lambda (n)
    (%check-positive "random-source-make-integers" n)
    (%below! source n)))

(define (random-source-make-reals source . unit)
  "A procedure that returns a random number between 0 and 1, both excluded.  A
  unit between 0 and 1 asks for multiples of about that size, of its type."
  (%check-source "random-source-make-reals" source)
  (let ((unit (%optional "random-source-make-reals" 1 unit #f)))
    (cond ((not unit) (lambda () (%real! source)))
          ((not (and (real? unit) (< 0 unit 1)))
           (wrong-type "random-source-make-reals" "a number between 0 and 1" unit))
          (else
           (let ((steps (exact (floor (/ 1 (exact unit))))))
             (if (exact? unit)
                 (lambda () (/ (+ 1 (%below! source steps)) (+ steps 1)))
                 (lambda ()
                   (inexact (/ (+ 1 (%below! source steps))
                               (+ steps 1))))))))))
