;; What no clause is for keeps its place and its trace.
(define (f x) (list (car x)))
(define (g x)
  (list (guard (e ((string? e) 'string))
          (list (f x)))))
(define (h x)
  (dynamic-wind
   (lambda () (display "in "))
   (lambda () (list (g x)))
   (lambda () (print "out"))))
(list (h 5))

; error, status 70:
; raise_through_guard.lisp:2:21: car: expected a pair, got 5
;   2 | (define (f x) (list (car x)))
;     |                     ^^^^^^^
;   in f, called at raise_through_guard.lisp:5:17
;   in g, called at raise_through_guard.lisp:9:21
;   in lambda, called at raise_through_guard.lisp:11:7
