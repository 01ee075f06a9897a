; The order of a Bessel function is an exact integer.
(import (srfi 144))
(flfirst-bessel 1.0 2.0)

; error, status 70:
; flonum_bessel.lisp:3:1: flfirst-bessel: expected an exact integer, got 1.0
;   3 | (flfirst-bessel 1.0 2.0)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (exact (floor x)) makes an exact integer of a number
