;; numbers.lisp - variables, constants and procedures that several files use.

(define total 0.0)
(define count 0)
(define (add! x)
  (set! total (+ total x))
  (set! count (+ count 1))
  count)
(define (start) '(start))
(define (label) "label")
(define (even-steps? n) (or (= n 0) (odd-steps? (- n 1))))
(define (odd-steps? n) (and (> n 0) (even-steps? (- n 1))))
(define (each f l) (if (pair? l) (begin (f (car l)) (each f (cdr l)))))
(define (adder n :scale 1) (lambda (x . more) (apply + (* scale x) n more)))
(define-syntax define-adder
  (syntax-rules () ((_ name n) (define (name x) (set! count (+ count 1)) (+ x n)))))
(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))
(define (fails x) (+ 1 (car x)))
