; Surrogates are not characters.
(import (srfi 14))
(ucs-range->char-set #xd700 #xd900 #t)

; error, status 70:
; char_set_surrogates.lisp:3:1: ucs-range->char-set: not all of these code points are characters: 55040 55552
;   3 | (ucs-range->char-set #xd700 #xd900 #t)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
