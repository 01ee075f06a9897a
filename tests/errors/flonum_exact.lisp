; The procedures of SRFI 144 take flonums only.
(import (srfi 144))
(fl+ 1.0 2)

; error, status 70:
; flonum_exact.lisp:3:1: fl+: expected a flonum, got 2
;   3 | (fl+ 1.0 2)
;     | ^^^^^^^^^^^
; hint: (inexact x) makes a flonum of a number
