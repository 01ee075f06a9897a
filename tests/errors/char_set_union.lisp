; The operations take char-sets only.
(import (srfi 14))
(char-set-union char-set:digit "abc")

; error, status 70:
; char_set_union.lisp:3:1: char-set-union: expected a char-set, got "abc"
;   3 | (char-set-union char-set:digit "abc")
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (string->char-set s) makes a char-set of a string
