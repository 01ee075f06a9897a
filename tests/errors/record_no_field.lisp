; A constructor takes fields that there are.
(define-record-type <point> (make-point x z) point? (x point-x))

; error, status 65:
; record_no_field.lisp:2:43: define-record-type: point has no field z
;   2 | (define-record-type <point> (make-point x z) point? (x point-x))
;     |                                           ^
