; An accessor says which type it is for, at the call.
(define-record-type <point> (make-point x y) point? (x point-x) (y point-y set-point-y!))
(define (f p)
  (+ 1 (point-x p)))
(print (f 5))

; error, status 70:
; record_wrong_type.lisp:4:8: point-x: expected a point, got 5
;   4 |   (+ 1 (point-x p)))
;     |        ^^^^^^^^^^^
;   in f, called at record_wrong_type.lisp:5:8
