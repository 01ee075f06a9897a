(defmacro bad () (list 'print car))
(bad)

; error, status 65:
; defmacro_result.lisp:2:1: expected a datum, got #<procedure car>
;   2 | (bad)
;     | ^^^^^
;   in the expansion of bad
