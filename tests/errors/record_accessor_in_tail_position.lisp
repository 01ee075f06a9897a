;; What reports it is the accessor, so the place is its call, a tail call or not.
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(define (f p) (point-y p))
(print (+ 1 (f 'no-point)))

; error, status 70:
; record_accessor_in_tail_position.lisp:3:15: point-y: expected a point, got no-point
;   3 | (define (f p) (point-y p))
;     |               ^^^^^^^^^^^
;   in f, called at record_accessor_in_tail_position.lisp:4:13
