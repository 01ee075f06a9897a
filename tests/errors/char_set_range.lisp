; The limits of a range are exchanged.
(import (srfi 14))
(ucs-range->char-set 122 97)

; error, status 70:
; char_set_range.lisp:3:1: ucs-range->char-set: the lower limit is above the upper one: 122 97
;   3 | (ucs-range->char-set 122 97)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
