;; prelude.lisp - the procedures that the rest of the library is built on.
;;
;; Calls of folded primitives (`+`, `<`, `max` ...) by name become primitive
;; calls of two arguments; as values, (apply + sums), they are the procedures
;; below.  Names that begin with % are internal to the library.

;; Arithmetic as values.  Two arguments, as from `fold` and `sort`, are tested
;; first.

(define (%fold-numbers f first others)
  "f from left to right: (f (f first a) b) ..."
  (let loop ((result first) (left others))
    (if (null? left)
        result
        (loop (f result (car left)) (cdr left)))))

(define (+ . numbers)
  "The sum."
  (cond ((null? numbers) 0)
        ((null? (cdr numbers)) (+ (car numbers)))
        (else
         (%fold-numbers (lambda (a b) (+ a b))
                        (+ (car numbers) (cadr numbers))
                        (cddr numbers)))))

(define (* . numbers)
  "The product; of tensors, elementwise."
  (cond ((null? numbers) 1)
        ((null? (cdr numbers)) (* (car numbers)))
        (else
         (%fold-numbers (lambda (a b) (* a b))
                        (* (car numbers) (cadr numbers))
                        (cddr numbers)))))

(define (gcd . numbers)
  "The greatest common divisor."
  (cond ((null? numbers) 0)
        ((null? (cdr numbers)) (gcd (car numbers)))
        (else
         (%fold-numbers (lambda (a b) (gcd a b))
                        (gcd (car numbers) (cadr numbers))
                        (cddr numbers)))))

(define (lcm . numbers)
  "The least common multiple."
  (cond ((null? numbers) 1)
        ((null? (cdr numbers)) (lcm (car numbers)))
        (else
         (%fold-numbers (lambda (a b) (lcm a b))
                        (lcm (car numbers) (cadr numbers))
                        (cddr numbers)))))

(define (bitwise-and . numbers)
  "The bits that are set in all of the integers."
  (cond ((null? numbers) -1)
        ((null? (cdr numbers)) (bitwise-and (car numbers)))
        (else
         (%fold-numbers (lambda (a b) (bitwise-and a b))
                        (bitwise-and (car numbers) (cadr numbers))
                        (cddr numbers)))))

(define (bitwise-ior . numbers)
  "The bits that are set in any of the integers."
  (cond ((null? numbers) 0)
        ((null? (cdr numbers)) (bitwise-ior (car numbers)))
        (else
         (%fold-numbers (lambda (a b) (bitwise-ior a b))
                        (bitwise-ior (car numbers) (cadr numbers))
                        (cddr numbers)))))

(define (bitwise-xor . numbers)
  "The bits that are set in an odd number of the integers."
  (cond ((null? numbers) 0)
        ((null? (cdr numbers)) (bitwise-xor (car numbers)))
        (else
         (%fold-numbers (lambda (a b) (bitwise-xor a b))
                        (bitwise-xor (car numbers) (cadr numbers))
                        (cddr numbers)))))

(define (- number . others)
  "The first less all the others; of one argument, its negation."
  (if (null? others)
      (- number)
      (%fold-numbers (lambda (a b) (- a b))
                     (- number (car others))
                     (cdr others))))

(define (/ number . others)
  "The first divided by all the others; of one argument, its reciprocal."
  (if (null? others)
      (/ number)
      (%fold-numbers (lambda (a b) (/ a b))
                     (/ number (car others))
                     (cdr others))))

(define (max number . others)
  "The largest; a double if any argument is one."
  (if (null? others)
      (max number)
      (%fold-numbers (lambda (a b) (max a b))
                     (max number (car others))
                     (cdr others))))

(define (min number . others)
  "The smallest; a double if any argument is one."
  (if (null? others)
      (min number)
      (%fold-numbers (lambda (a b) (min a b))
                     (min number (car others))
                     (cdr others))))

;; Comparison as values.

(define (%ordered? before? first others)
  "Whether before? holds between all neighbours."
  (let loop ((last first) (left others))
    (cond ((null? left) #t)
          ((before? last (car left)) (loop (car left) (cdr left)))
          (else #f))))

(define (= number . others)
  "Whether the numbers are equal."
  (cond ((null? others) (= number))
        ((null? (cdr others)) (= number (car others)))
        (else
         (%ordered? (lambda (a b) (= a b)) number others))))

(define (< number . others)
  "Whether the numbers increase."
  (cond ((null? others) (< number))
        ((null? (cdr others)) (< number (car others)))
        (else
         (%ordered? (lambda (a b) (< a b)) number others))))

(define (> number . others)
  "Whether the numbers decrease."
  (cond ((null? others) (> number))
        ((null? (cdr others)) (> number (car others)))
        (else
         (%ordered? (lambda (a b) (> a b)) number others))))

(define (<= number . others)
  "Whether no number is less than the one before."
  (cond ((null? others) (<= number))
        ((null? (cdr others)) (<= number (car others)))
        (else
         (%ordered? (lambda (a b) (<= a b)) number others))))

(define (>= number . others)
  "Whether no number is greater than the one before."
  (cond ((null? others) (>= number))
        ((null? (cdr others)) (>= number (car others)))
        (else
         (%ordered? (lambda (a b) (>= a b)) number others))))

;; Procedures.

(define (identity x)
  "x itself."
  x)

(define (compose . functions)
  "The procedure that calls the last function, then the one before, and so on."
  (cond ((null? functions) identity)
        ((null? (cdr functions)) (car functions))
        (else
         (let ((outer (car functions))
               (inner (apply compose (cdr functions))))
           (lambda arguments (outer (apply inner arguments)))))))

;; Checks of arguments for other procedures.

(define (%optional who required others default)
  "The one optional argument of a procedure with required others."
  (cond ((null? others) default)
        ((null? (cdr others)) (car others))
        (else
         (error (string who ": expected " required " to " (+ required 1)
                        " arguments, got " (+ required (length others)))))))

(define (%check-index who k)
  "Raise an error unless k is an exact integer from 0."
  (unless (and (exact-integer? k) (>= k 0))
    (wrong-type who "a non-negative exact integer" k)))

(define (%out-of-range who k length)
  "Raise the error for an index that is too large."
  (error (string who ": index " k " is out of range for length " length)))

;; The implementation.

(define (features)
  "The features of this implementation for `cond-expand`, as a list of symbols."
  '(r7rs exact-closed exact-rational full-unicode ieee-float lambent posix
    ratios regexp-backrefs regexp-look-around regexp-non-greedy regexp-unicode
    srfi-0 srfi-1 srfi-2 srfi-6 srfi-8 srfi-9 srfi-11 srfi-14 srfi-16 srfi-19
    srfi-23 srfi-26 srfi-27 srfi-28 srfi-30 srfi-31 srfi-34 srfi-37 srfi-39
    srfi-41 srfi-45 srfi-46 srfi-62 srfi-64 srfi-69 srfi-87 srfi-98 srfi-111
    srfi-113 srfi-115 srfi-117 srfi-125 srfi-128 srfi-131 srfi-132 srfi-133
    srfi-141 srfi-143 srfi-144 srfi-145 srfi-146 srfi-151 srfi-174 srfi-204))
