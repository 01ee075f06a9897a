;; Other names of procedures: the compiler calls what they name.

(define (first-of x) (head x))
(define head car)
(define add +)
(define total add)
(define (pair-up x) (list x x))
(define double pair-up)
(define (sum-of ok? . items) (apply (if ok? add total) items))

(write (list (first-of '(1 2)) (add 1 2 3) (total) (total 1) (add 0.5 1/2)
             (double 3) (sum-of #t 1 2) (apply double '(1)) (map head '((1) (2)))
             (eq? head car) (eq? add total)))
(newline)  ; => (1 6 0 1 1.0 (3 3) 3 (1 1) (1 2) #t #t)

;; One that is assigned, and one that is used before it is defined.
(define later cdr)
(write (later '(1 2)))
(set! later car)
(write (later '(1 2)))
(define (early x) (soon x))
(write (guard (e (#t 'unbound)) (early 1)))
(define soon double)
(write (early 1))
(newline)  ; => (2)1unbound(1 1)

;; As values, and through local names.
(define again head)
(define (use x) (define mine again) (list (procedure? mine) (mine x)))
(write (list (use '(5)) again double))
(newline)  ; => ((#t 5) #<procedure car> #<procedure pair-up>)

;; In loops on pairs of doubles, as complex numbers are written.
(define make cons)
(define re car)
(define im cdr)
(define (times a b)
  (make (- (* (re a) (re b)) (* (im a) (im b)))
        (+ (* (re a) (im b)) (* (im a) (re b)))))
(let loop ((i 0) (z (make 1.0 0.0)))
  (if (= i 8) (begin (write z) (newline)) (loop (+ i 1) (times z (make 0.0 1.0)))))  ; => (1.0 . -0.0)
(write (guard (e (#t (error-object-message e))) (re 5)))
(write (guard (e (#t (error-object-message e))) (double 5 6)))
(newline)  ; => "car: expected a pair, got 5""pair-up: expected 1 argument, got 2"
