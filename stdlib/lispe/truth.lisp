;; truth.lisp - which values of LispE are true, which are equal, and what they
;; are: nil and false are #f, and a tensor of one element equals its number.

(define (%true? x)
  "Whether a value counts as true: nil, 0, \"\" and empty containers do not."
  (cond ((boolean? x) x)
        ((number? x) (not (zero? x)))
        ((string? x) (not (string-null? x)))
        ((%list? x) (not (zero? (%list-count x))))
        ((hash-table? x) (not (zero? (hash-size x))))
        ((null? x) #f)
        (else #t)))

(define (%same? a b)
  "Whether two values are equal: numbers by value, containers by content."
  (cond ((and (number? a) (number? b)) (= a b))
        ((and (%list? a) (%list? b))
         (and (= (%list-count a) (%list-count b))
              (every %same? (%elements a) (%elements b))))
        ((and (hash-table? a) (hash-table? b)) (%same-table? a b))
        ((and (tensor? a) (tensor? b)) (tensor-equal a b))
        ((and (tensor? a) (number? b)) (= (%number "==" a) b))
        ((and (number? a) (tensor? b)) (= a (%number "==" b)))
        ((%error? a) (%same? (%error-text a) b))
        ((%error? b) (%same? a (%error-text b)))
        (else (equal? a b))))

(define (%same-table? a b)
  (and (= (hash-size a) (hash-size b))
       (every (lambda (key)
                (and (hash-has-key? b key)
                     (%same? (hash-ref a key #f) (hash-ref b key #f))))
              (hash-keys a))))

(define (lispe:not x) "Whether a value is false." (not (%true? x)))

(define (eq a . others)
  "Whether values are equal."
  (every (lambda (b) (%same? a b)) others))

(define (== a . others)
  "Whether values are equal."
  (every (lambda (b) (%same? a b)) others))

(define (lispe:= a . others)
  "Whether values are equal."
  (every (lambda (b) (%same? a b)) others))

(define (neq a b) "Whether two values differ." (not (%same? a b)))
(define (!= a b) "Whether two values differ." (not (%same? a b)))

(define (xor a b)
  "Whether one of two values is true."
  (not (eq? (%true? a) (%true? b))))

;; What values are.

(define (nullp x)
  "Whether a value is nil or an empty list."
  (or (not x) (null? x) (and (%list? x) (zero? (%list-count x)))))

(define (emptyp x)
  "Whether a value is nil, or a container without elements."
  (or (not x) (and (not (number? x)) (not (%true? x)))))

(define (zerop x) "Whether a number is 0." (and (number? x) (zero? x)))
(define (numberp x) "Whether a value is a number." (number? x))
(define (integerp x) "Whether a value is an integer." (exact-integer? x))
(define (floatp x) "Whether a value is a float." (and (number? x) (inexact? x)))
(define (stringp x) "Whether a value is a string." (string? x))
(define (listp x) "Whether a value is a list." (%list? x))
(define (consp x) "Whether a value is a list." (%list? x))

(define (atomp x)
  "Whether a value is not a container."
  (not (or (%list? x) (hash-table? x))))

(define (dictionaryp x) "Whether a value is a dictionary." (hash-table? x))
(define (tensorp x) "Whether a value is a tensor." (tensor? x))
(define (positivep x) "Whether a number is greater than 0." (> x 0))
(define (negativep x) "Whether a number is less than 0." (< x 0))
