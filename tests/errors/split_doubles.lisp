; An error in the version for doubles has the same trace as in the other one.
(define (root a b)
  (let* ((d (- (* b b) (* 4.0 a))))
    (+ (sqrt d) (* d 0.5))))
(define (try a b) (guard (e (#t (print (error-object-message e)))) (print (root a b))))
(try 1.0 3.0)
(try 1 "b")
(+ 1 (root 2.0 1.0))

; error, status 70:
; split_doubles.lisp:4:8: sqrt: expected a non-negative number, got -7.0
;   4 |     (+ (sqrt d) (* d 0.5))))
;     |        ^^^^^^^^
;   in root, called at split_doubles.lisp:8:6
