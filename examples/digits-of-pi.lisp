;; digits-of-pi.lisp - pi and e to many places, in integers of any size.
;;
;;     lambent examples/digits-of-pi.lisp [HOW-MANY]

;; Pi by Machin's formula, pi/4 = 4 arctan(1/5) - arctan(1/239), in fixed point:
;; every number stands for itself over `unity`.

(define (arctan-of-inverse x unity)
  "unity times arctan(1/x), by its power series."
  (let ((square (* x x)))
    (let loop ((power (quotient unity x)) (n 1) (sum 0))
      (if (zero? power)
          sum
          (loop (- (quotient power square))
                (+ n 2)
                (+ sum (quotient power n)))))))

(define guard-digits 10)

(define (pi-digits n)
  "The first n decimals of pi behind its 3, as one integer: 31415..."
  (let ((unity (expt 10 (+ n guard-digits))))
    (quotient (* 4 (- (* 4 (arctan-of-inverse 5 unity))
                      (arctan-of-inverse 239 unity)))
              (expt 10 guard-digits))))

;; E by binary splitting of the sum of 1/k!: each half of the series is one
;; fraction p/q, so that the large multiplications are few.

(define (split a b)
  "Two values p and q: 1/a! * a! ... the sum of a!/k! for a < k <= b is p/q."
  (if (= (- b a) 1)
      (values 1 b)
      (let ((middle (quotient (+ a b) 2)))
        (let-values (((p1 q1) (split a middle))
                     ((p2 q2) (split middle b)))
          (values (+ (* p1 q2) p2) (* q1 q2))))))

(define (terms-for n)
  "How many terms of the series n decimals take."
  (let loop ((k 1) (digits 0.0))
    (if (> digits (+ n 5))
        k
        (loop (+ k 1) (+ digits (log k 10))))))

(define (e-digits n)
  (let-values (((p q) (split 0 (terms-for n))))
    (quotient (* (+ p q) (expt 10 n)) q)))

;; Printed in groups of ten, five to a line.

(define (show name digits)
  (let* ((text (number->string digits))
         (size (string-length text)))
    (print name "=" (string-append (substring text 0 1) "."))
    (let loop ((start 1))
      (when (< start size)
        (let* ((end (min size (+ start 50)))
               (groups (map (lambda (i) (substring text i (min end (+ i 10))))
                            (iota (quotient (+ (- end start) 9) 10) start 10))))
          (print (string-join groups " ") (string-append ": " (number->string (- end 1))))
          (loop end))))))

(define how-many
  (let ((arguments (cdr (command-line))))
    (if (null? arguments) 200 (string->number (car arguments)))))

(show 'pi (pi-digits how-many))
(show 'e (e-digits how-many))

;; The digits themselves have a check: their sums, and where 999999 first stands.
(define (digit-sum n)
  (let loop ((n n) (sum 0))
    (if (zero? n) sum (loop (quotient n 10) (+ sum (remainder n 10))))))

(print "sums of digits:" (digit-sum (pi-digits how-many)) (digit-sum (e-digits how-many)))
(print "999999 stands at" (string-contains (number->string (pi-digits 1000)) "999999"))
