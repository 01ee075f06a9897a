; There is no such field.
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(print (record-update (make-point 1 2) point (z 3)))

; error, status 65:
; record_update_field.lisp:3:47: record-update: point has no field z
;   3 | (print (record-update (make-point 1 2) point (z 3)))
;     |                                               ^
; hint: its fields are x, y
