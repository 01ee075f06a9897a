; A cursor that char-set-cursor has not returned for the set.
(import (srfi 14))
(char-set-ref (char-set #\a) 12)

; error, status 70:
; char_set_cursor.lisp:3:1: char-set-ref: expected a cursor of the set, as char-set-cursor returns it, got 12
;   3 | (char-set-ref (char-set #\a) 12)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
