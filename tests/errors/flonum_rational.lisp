; An exact fraction is not a flonum.
(import (srfi 144))
(flsqrt 1/4)

; error, status 70:
; flonum_rational.lisp:3:1: flsqrt: expected a flonum, got 1/4
;   3 | (flsqrt 1/4)
;     | ^^^^^^^^^^^^
; hint: (inexact x) makes a flonum of a number
