; A character becomes a number.
(import (srfi 14))
(char-set-map char->integer char-set:digit)

; error, status 70:
; char_set_map.lisp:3:1: char-set-map: expected a character, got 48
;   3 | (char-set-map char->integer char-set:digit)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (integer->char n) makes a character of its code
