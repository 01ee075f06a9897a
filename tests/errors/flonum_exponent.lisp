; The exponent is an exact integer.
(import (srfi 144))
(make-flonum 1.0 2.5)

; error, status 70:
; flonum_exponent.lisp:3:1: make-flonum: expected an exact integer, got 2.5
;   3 | (make-flonum 1.0 2.5)
;     | ^^^^^^^^^^^^^^^^^^^^^
; hint: (exact (floor x)) makes an exact integer of a number
