; A constructor takes as many values as it names fields.
(define-record-type <point> (make-point x y) point? (x point-x) (y point-y))
(make-point 1)

; error, status 70:
; record_arity.lisp:3:1: make-point: expected 2 arguments, got 1
;   3 | (make-point 1)
;     | ^^^^^^^^^^^^^^
; hint: usage: (make-point x y)
