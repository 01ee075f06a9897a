(define p (make-parameter 1 (lambda (x) (* x 2))))
(define (f)
  (list (parameterize ((p 'x))
          (p))))
(f)

; error, status 70:
; error_in_converter.lisp:1:41: *: expected a number, got x
;   1 | (define p (make-parameter 1 (lambda (x) (* x 2))))
;     |                                         ^^^^^^^
;   in lambda, called at error_in_converter.lisp:3:9
;   in f, called at error_in_converter.lisp:5:1
