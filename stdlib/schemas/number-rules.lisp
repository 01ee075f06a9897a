;; number-rules.lisp - numbers between bounds, and multiples of a number.
;;
;; Decimal texts are compared digit by digit:
;;
;;     at most 2.5  =>  [01] and any fraction, or 2 and no fraction, or "2." and
;;                      [0-4] and any digits, or "2.5" and zeros
;;
;; A multiple is found by the remainder of the digits so far.  Numbers with
;; bounds are written without an exponent.

(define %most-remainders 2000)
(define %most-places 20)

(define (%schema-decimal rules schema path whole?)
  "The expression of numbers, by the bounds and multipleOf of their schema.
  whole?: integers only."
  (let* ((low (%number-bound schema "minimum" "exclusiveMinimum" path))
         (high (%number-bound schema "maximum" "exclusiveMaximum" path))
         (p (%new-patterns))
         (k (%p-and p (%p-signed-range p low high)
                    (if whole? (%p-whole p) (%p-decimal p)))))
    (when (and low high
               (or (> (car low) (car high))
                   (and (= (car low) (car high)) (or (cdr low) (cdr high)))))
      (%schema-error path "maximum is less than minimum"))
    (let-values (((modulus places) (%schema-step schema path whole?)))
      (%automaton-rule!
       rules (string path (if whole? " integer" " number")) (list k 0 -1)
       (lambda (state code) (%decimal-step p modulus places state code))
       (lambda (state) (%decimal-end? p modulus places state))
       (map (lambda (c) (cons (char->integer c) (char->integer c)))
            (string->list "-.0123456789"))
       %plain-class-expression ""))))

(define (%plain-class-expression ranges)
  "The expression of characters that stand for themselves."
  (cons 'one-of (map (lambda (range) (list (integer->char (car range))
                                           (integer->char (cdr range))))
                     ranges)))

(define (%number-bound schema key exclusive path)
  "The pair of a bound and whether it is exclusive, the stronger of two; #f for
  none."
  (define (of key)
    (let ((x (hash-ref schema key #f)))
      (cond ((not x) #f)
            ((and (real? x) (finite? x)) (%exact-decimal x))
            (else (%schema-error path (string "expected a number for " key
                                              ", got") x)))))
  (let ((x (of key)) (other (of exclusive))
        (stronger? (if (string=? key "minimum") >= <=)))
    (cond ((and other (or (not x) (stronger? other x))) (cons other #t))
          (x (cons x #f))
          (else #f))))

(define (%exact-decimal x)
  "The exact number that the shortest decimal text of a number says."
  (if (exact? x) x (string->number (string "#e" (number->string x)))))

;; A state is a list: an expression, the remainder of the digits, and how many of
;; them are behind the point, -1 before it.

(define (%schema-step schema path whole?)
  "What numbers are multiples of: two values, an integer and how many places it
  has behind the point; 1 and #f without such a rule."
  (let ((x (hash-ref schema "multipleOf" #f)))
    (if (not x)
        (values 1 #f)
        (begin
          (unless (and (real? x) (finite? x) (> x 0))
            (%schema-error path "expected a positive number for multipleOf, got"
                           x))
          (let* ((step (%exact-decimal x))
                 (step (if whole? (numerator step) step))
                 (places (%decimal-places step)))
            (unless (and places
                         (<= (* (+ places 1) step (expt 10 places))
                             %most-remainders))
              (%schema-error path (string "multipleOf is supported up to "
                                          %most-remainders ", digits behind the \
point included, got")
                             x))
            (values (* step (expt 10 places)) places))))))

(define (%decimal-places x)
  "How many digits behind the point an exact number has; #f if it has too many."
  (let loop ((k 0))
    (cond ((> k %most-places) #f)
          ((integer? (* x (expt 10 k))) k)
          (else (loop (+ k 1))))))

(define (%decimal-step p modulus places state code)
  "The state after a character, or #f."
  (let ((next (%live-derivative p (car state) code))
        (remainder (cadr state)) (behind (caddr state)))
    (cond ((not next) #f)
          ((= code 45) (list next remainder behind))
          ((not places) (list next 0 -1))
          ((= code 46) (and (> places 0) (list next remainder 0)))
          ((and (>= behind 0) (= behind places)) #f)
          (else (list next
                      (modulo (+ (* 10 remainder) (- code 48)) modulus)
                      (if (< behind 0) behind (+ behind 1)))))))

(define (%decimal-end? p modulus places state)
  "Whether a number may end."
  (and (%nullable? p (car state))
       (or (not places)
           (= 0 (modulo (* (cadr state)
                           (expt 10 (- places (max 0 (caddr state)))))
                        modulus)))))

;; Expressions of texts.

(define (%p-digits p from to)
  "A digit between two; none if there is none."
  (%p-set p (if (<= from to) (list (cons (+ 48 from) (+ 48 to))) '())))

(define (%p-digit p) (%p-digits p 0 9))

(define (%p-natural p)
  "A natural number without a zero in front."
  (%p-or p (%p-text p "0")
         (%p-cat p (%p-digits p 1 9) (%p-star p (%p-digit p)))))

(define (%p-optional p k) (%p-repeat p k 0 1))

(define (%p-fraction p)
  "Any fraction, which may be absent."
  (%p-optional p (%p-sequence p (%p-text p ".") (%p-digit p)
                              (%p-star p (%p-digit p)))))

(define (%p-whole p)
  (%p-cat p (%p-optional p (%p-text p "-")) (%p-natural p)))

(define (%p-decimal p) (%p-cat p (%p-whole p) (%p-fraction p)))

(define (%p-signed-range p low high)
  "The decimals between two bounds, pairs as %number-bound returns, or #f."
  (define (negated bound) (cons (- (car bound)) (cdr bound)))
  (define (sizes low high)          ; not negative
    (%p-and p
            (%p-cat p (%p-natural p) (%p-fraction p))
            (if low (%p-at-least p (car low) (cdr low)) (%p-all p))
            (if high (%p-at-most p (car high) (cdr high)) (%p-all p))))
  (%p-or p
         (if (and high (< (car high) 0))
             (%p-none p)
             (sizes (and low (>= (car low) 0) low) high))
         (if (and low (>= (car low) 0))
             (%p-none p)
             (%p-cat p (%p-text p "-")
                     (sizes (if (and high (< (car high) 0))
                                (negated high)
                                (cons 0 #t))
                            (and low (negated low)))))))

(define (%whole-and-places x)
  "The integer part of an exact number, and the digits behind its point."
  (let ((whole (floor x)))
    (let loop ((rest (- x whole)) (digits '()))
      (if (= rest 0)
          (values whole (reverse digits))
          (let ((next (* 10 rest)))
            (loop (- next (floor next)) (cons (floor next) digits)))))))

(define (%p-at-least p x exclusive?)
  "Decimals from a number up, which is not negative."
  (let-values (((whole digits) (%whole-and-places x)))
    (%p-or p
           (%p-cat p (%p-natural-from p (+ whole 1)) (%p-fraction p))
           (%p-cat p (%p-text p (number->string whole))
                   (if (and (null? digits) (not exclusive?))
                       (%p-fraction p)
                       (%p-cat p (%p-text p ".")
                               (%p-places-from p digits exclusive?)))))))

(define (%p-places-from p digits exclusive?)
  "Digits behind the point from those up."
  (let ((any (%p-star p (%p-digit p))))
    (cond ((pair? digits)
           (%p-or p
                  (%p-cat p (%p-digits p (+ 1 (car digits)) 9) any)
                  (%p-cat p (%p-digits p (car digits) (car digits))
                          (%p-places-from p (cdr digits) exclusive?))))
          (exclusive?
           (%p-sequence p (%p-star p (%p-digits p 0 0)) (%p-digits p 1 9) any))
          (else any))))

(define (%p-at-most p x exclusive?)
  "Decimals from 0 up to a number."
  (let-values (((whole digits) (%whole-and-places x)))
    (%p-or p
           (if (= whole 0)
               (%p-none p)
               (%p-cat p (%p-natural-to p (- whole 1)) (%p-fraction p)))
           (%p-cat p (%p-text p (number->string whole))
                   (cond ((pair? digits)
                          (%p-optional p
                                       (%p-cat p (%p-text p ".")
                                               (%p-places-to p digits exclusive?
                                                             #t))))
                         (exclusive? (%p-none p))
                         (else
                          (%p-optional
                           p (%p-sequence p (%p-text p ".") (%p-digits p 0 0)
                                          (%p-star p (%p-digits p 0 0))))))))))

(define (%p-places-to p digits exclusive? first?)
  "Digits behind the point up to those."
  (if (null? digits)
      (if exclusive? (%p-none p) (%p-star p (%p-digits p 0 0)))
      (%p-or p
             (if first? (%p-none p) (%p-empty p))
             (%p-cat p (%p-digits p 0 (- (car digits) 1))
                     (%p-star p (%p-digit p)))
             (%p-cat p (%p-digits p (car digits) (car digits))
                     (%p-places-to p (cdr digits) exclusive? #f)))))

(define (%p-natural-from p n)
  "Natural numbers from a positive one up."
  (let* ((digits (%digits-of n)) (size (length digits)))
    (%p-or p
           (%p-cat p (%p-digits p 1 9) (%p-repeat p (%p-digit p) size #f))
           (%p-same-size p digits (lambda (d) (values (+ d 1) 9))))))

(define (%p-natural-to p n)
  "Natural numbers up to one."
  (let* ((digits (%digits-of n)) (size (length digits)))
    (%p-and p (%p-natural p)
            (%p-or p
                   (%p-repeat p (%p-digit p) 1 (max 1 (- size 1)))
                   (%p-same-size p digits (lambda (d) (values 0 (- d 1)))))
            (if (= size 1)
                (%p-digits p 0 n)
                (%p-all p)))))

(define (%p-same-size p digits beside)
  "As many digits: those, or ones of which the first that differs is beside it, as
  a procedure of it says: two values, from and to."
  (if (null? digits)
      (%p-empty p)
      (let-values (((from to) (beside (car digits))))
        (%p-or p
               (%p-cat p (%p-digits p from to)
                       (%p-repeat p (%p-digit p) (length (cdr digits))
                                  (length (cdr digits))))
               (%p-cat p (%p-digits p (car digits) (car digits))
                       (%p-same-size p (cdr digits) beside))))))
