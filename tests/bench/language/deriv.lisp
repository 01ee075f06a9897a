;; Symbols and fresh lists: the derivative of a polynomial in x, written with
;; sums and products of any number of terms, many times.

(define (terms-of-sum terms)
  (if (null? terms)
      '()
      (cons (derive (car terms)) (terms-of-sum (cdr terms)))))

;; (* a b c)' = (* (* a b c) (+ (/ a' a) (/ b' b) (/ c' c)))
(define (terms-of-product terms)
  (if (null? terms)
      '()
      (cons (list '/ (derive (car terms)) (car terms))
            (terms-of-product (cdr terms)))))

(define (derive a)
  (cond ((not (pair? a)) (if (eq? a 'x) 1 0))
        ((eq? (car a) '+) (cons '+ (terms-of-sum (cdr a))))
        ((eq? (car a) '*)
         (list '* a (cons '+ (terms-of-product (cdr a)))))
        (else '())))

(define (count-leaves a)
  (cond ((null? a) 0)
        ((pair? a) (+ (count-leaves (car a)) (count-leaves (cdr a))))
        (else 1)))

(define (run size)
  (let ((formula '(+ (* 3 x x) (* a x x x) (* b x) (+ x (* c x) 5))))
    (let loop ((i 0) (last '()))
      (if (= i size)
          (count-leaves last)
          (loop (+ i 1) (derive formula))))))

(display (run (string->number (cadr (command-line)))))
(newline)
