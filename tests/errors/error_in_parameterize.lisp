(define p (make-parameter 1 (lambda (x) (* x 2))))
(define (f)
  (list (parameterize ((p 2))
          (list (car (p))))))
(f)

; error, status 70:
; error_in_parameterize.lisp:4:17: car: expected a pair, got 4
;   4 |           (list (car (p))))))
;     |                 ^^^^^^^^^
;   in f, called at error_in_parameterize.lisp:5:1
