; The name of the parent holds something else when the type is made.
(define-record-type point (make-point x) point? (x point-x))
(set! point 5)
(define-record-type (circle point) (make-circle x r) circle? (r circle-r))

; error, status 70:
; record_changed_parent.lisp:4:21: define-record-type: the parent is not the record type that the program defines under its name
;   4 | (define-record-type (circle point) (make-circle x r) circle? (r circle-r))
;     |                     ^^^^^^^^^^^^^^
