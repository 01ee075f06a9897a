;; Words and keywords that a program binds mean what it binds them to.
(print (let ((else #f)) (cond (else 1) (#t 2))))  ; => 2
(print (let ((=> #f)) (cond (#t => 'ok))))  ; => ok
(print (let ((if list)) (if 1 2 3)))  ; => (1 2 3)
(print (let ((else 'no)) (case 1 ((1) 'yes) ((2) else))))  ; => yes
(define (assert x) (list 'mine x))
(print (assert 3))  ; => (mine 3)
(print ((lambda (list) (+ list 1)) 2))  ; => 3
(define (f quote) '3)
(print (f list) (f -))  ; => (3) -3
(define (g begin) (begin 1 2))
(print (g +))  ; => 3
(define (h)
  (define (when a b) (list 'when a b))
  (when #f 2))
(print (h))  ; => (when #f 2)
(print (let* ((cond list) (x (cond 1))) (cond x)))  ; => ((1))
(print (letrec ((or (lambda (x) (and x 'or)))) (or 1)))  ; => or
(print (do ((let 0 (+ let 1))) ((= let 3) let)))  ; => 3
