;; arithmetic.lisp - LispE's operators: on numbers, texts, lists and tensors.
;;
;; On lists they work element by element, as on tensors.  A tensor of one
;; element counts as a number where one is compared.

(define (%number who x)
  "The number of a value."
  (cond ((number? x) x)
        ((and (tensor? x) (= (tensor-numel x) 1)) (tensor-item x))
        (else (%fail who ": expected a number, got " (%text x)))))

(define (%combined who f a b)
  "The operator on two values that are not both numbers."
  (cond ((or (tensor? a) (tensor? b)) (f a b))
        ((and (%list? a) (%list? b))
         (unless (= (%list-count a) (%list-count b))
           (%fail who ": the lists have " (%list-count a) " and "
                  (%list-count b) " elements"))
         (%new-list 'list (map (lambda (x y) (%apply-two who f x y))
                               (%elements a) (%elements b))))
        ((%list? a)
         (%new-list 'list (map (lambda (x) (%apply-two who f x b)) (%elements a))))
        ((%list? b)
         (%new-list 'list (map (lambda (y) (%apply-two who f a y)) (%elements b))))
        (else (%fail who ": expected numbers, got " (%written a) " and "
                     (%written b)))))

(define (%apply-two who f a b)
  (if (and (number? a) (number? b)) (f a b) (%combined who f a b)))

(define (lispe:+ first . others)
  "The sum; of texts, the texts one after the other; of lists and tensors,
  element by element."
  (if (string? first)
      (apply string-append first (map %text others))
      (fold (lambda (b a)
              (if (string? b)
                  (string-append (%text a) b)
                  (%apply-two "+" + a b)))
            (if (and (null? others) (%list? first)) (sum first) first)
            others)))

(define (lispe:- first . others)
  "The difference; with one value, its negative."
  (if (null? others)
      (%apply-two "-" - 0 first)
      (fold (lambda (b a) (%apply-two "-" - a b)) first others)))

(define (lispe:* first . others)
  "The product."
  (fold (lambda (b a) (%apply-two "*" * a b))
        (if (and (null? others) (%list? first)) (product first) first)
        others))

(define (lispe:/ first . others)
  "The quotient: an integer if the integers divide, otherwise a float."
  (fold (lambda (b a) (%apply-two "/" %quotient a b)) first others))

(define (%quotient a b)
  (cond ((tensor? a) (/ a b))
        ((tensor? b) (/ a b))
        ((zero? b) (%fail "division by zero"))
        ((and (exact-integer? a) (exact-integer? b) (zero? (modulo a b)))
         (quotient a b))
        (else (/ (inexact a) b))))

(define (lispe:% a b)
  "The remainder of a division, with the sign of the first number."
  (%apply-two "%" (lambda (x y)
                    (cond ((tensor? x) (tensor-fmod x y))
                          ((zero? y) (%fail "division by zero"))
                          ((and (exact-integer? x) (exact-integer? y))
                           (remainder x y))
                          (else (let ((q (truncate (/ (inexact x) y))))
                                  (- x (* q y))))))
              a b))

(define (^^ a b)
  "A power."
  (%apply-two "^^" (lambda (x y) (if (tensor? x) (tensor-pow x y) (expt x y))) a
              b))

(define (power a b) "A power." (^^ a b))

;; Comparisons.

(define (%ordered? who number-test text-test values)
  "Whether each value and the next one pass the test."
  (let loop ((rest values))
    (or (null? (cdr rest))
        (let ((a (car rest)) (b (cadr rest)))
          (and (if (and (string? a) (string? b))
                   (text-test a b)
                   (number-test (%number who a) (%number who b)))
               (loop (cdr rest)))))))

(define (lispe:< . values)
  "Whether values ascend."
  (%ordered? "<" < string<? values))

(define (lispe:> . values)
  "Whether values descend."
  (%ordered? ">" > string>? values))

(define (lispe:<= . values)
  "Whether no value is greater than the next."
  (%ordered? "<=" <= string<=? values))

(define (lispe:>= . values)
  "Whether no value is less than the next."
  (%ordered? ">=" >= string>=? values))

(define (>=< a b)
  "-1, 0 or 1: how two values compare."
  (cond ((lispe:< a b) -1) ((%same? a b) 0) (else 1)))

(define (%extreme f values)
  "The least or greatest of values, or of the elements of a list or tensor."
  (fold-left f (car values) (cdr values)))

(define (lispe:min . values)
  "The least value, or element of a list."
  (%extreme (lambda (a b) (if (lispe:< b a) b a)) (%values-of values)))

(define (lispe:max . values)
  "The greatest value, or element of a list."
  (%extreme (lambda (a b) (if (lispe:> b a) b a)) (%values-of values)))

(define (%values-of values)
  (if (and (null? (cdr values)) (not (number? (car values))))
      (%elements (car values))
      values))

;; Functions of a number, of each element of a list, or of a tensor.

(define (%mapped f g x)
  "f of a number, g of a tensor, on each element of a list."
  (cond ((number? x) (f x))
        ((tensor? x) (g x))
        ((%list? x)
         (%new-list 'list (map (lambda (y) (%mapped f g y)) (%elements x))))
        (else (%fail "expected a number, got " (%text x)))))

(define (lispe:floor x)
  "The greatest integer up to x."
  (%mapped (lambda (y) (exact (floor y))) tensor-floor x))

(define (lispe:ceiling x)
  "The least integer from x on."
  (%mapped (lambda (y) (exact (ceiling y))) tensor-ceil x))

(define (lispe:round x . factor)
  "The nearest integer; with a factor, that integer divided by it."
  (let ((whole (%mapped (lambda (y) (%half-up y)) tensor-round x)))
    (if (null? factor) whole (lispe:/ whole (inexact (car factor))))))

(define (%half-up x)
  "The nearest integer, halves away from zero."
  (exact (if (< x 0) (ceiling (- x 1/2)) (floor (+ x 1/2)))))

(define (lispe:sqrt x)
  "The square root."
  (%mapped (lambda (y) (sqrt (inexact y))) tensor-sqrt x))

(define (lispe:exp x)
  "e to the x."
  (%mapped (lambda (y) (exp (inexact y))) tensor-exp x))

(define (lispe:log x)
  "The natural logarithm."
  (%mapped (lambda (y) (log (inexact y))) tensor-log x))

(define (lispe:sin x)
  "The sine."
  (%mapped (lambda (y) (sin (inexact y))) tensor-sin x))

(define (lispe:cos x)
  "The cosine."
  (%mapped (lambda (y) (cos (inexact y))) tensor-cos x))

(define (lispe:abs x) "The absolute value." (%mapped abs tensor-abs x))
