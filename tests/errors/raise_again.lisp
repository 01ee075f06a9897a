;; An explicit raise is where the error is from then on.
(define (f x)
  (guard (e (#t (raise e)))
    (list (car x))))
(list (f 5))

; error, status 70:
; raise_again.lisp:3:17: car: expected a pair, got 5
;   3 |   (guard (e (#t (raise e)))
;     |                 ^^^^^^^^^
;   in f, called at raise_again.lisp:5:7
