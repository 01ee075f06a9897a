;; users.lisp - uses numbers.lisp from procedures of its own.

(import "numbers.lisp")
(define-adder plus-seven 7)
(define (sum! l) (each add! l) (list total count))
(define (own-start? x) (or (eq? x (start)) (eq? x (label))))
(define (long-walk n) (if (even-steps? n) (list 'even n) (list 'odd n)))
(define (moved p) (set-point-x! p (+ 1 (point-x p))) (make-point (point-y p) (point-x p)))
(define (catches x)
  (guard (e (#t (error-object-message e)))
    (list (fails x))))
(define after (begin (add! 0.5) total))
