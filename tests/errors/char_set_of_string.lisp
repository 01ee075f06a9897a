; A char-set is made of characters; string->char-set takes a string.
(import (srfi 14))
(char-set "aeiou")

; error, status 70:
; char_set_of_string.lisp:3:1: char-set: expected a character, got "aeiou"
;   3 | (char-set "aeiou")
;     | ^^^^^^^^^^^^^^^^^^
; hint: (string->char-set s) makes a char-set of a string
