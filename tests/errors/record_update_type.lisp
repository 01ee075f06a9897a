; The second operand is the name of a type.
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(print (record-update (make-point 1 2) (x 3)))

; error, status 65:
; record_update_type.lisp:3:8: record-update: expected (record-update record type (field value) ...), got (record-update (make-point 1 2) (x 3))
;   3 | (print (record-update (make-point 1 2) (x 3)))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
