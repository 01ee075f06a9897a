; Infinities and nans have no exact value.
(define (whole x) (list (exact x)))
(whole +nan.0)

; error, status 70:
; exact_of_nan.lisp:2:25: exact: +nan.0 has no exact value
;   2 | (define (whole x) (list (exact x)))
;     |                         ^^^^^^^^^
;   in whole, called at exact_of_nan.lisp:3:1
