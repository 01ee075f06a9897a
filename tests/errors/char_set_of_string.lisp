; A char-set is made of characters; string->char-set takes a string.
(import (srfi 14))
(char-set "aeiou")

; error, status 70:
; char_set_of_string.lisp:3:1: char-set: expected a character, got "aeiou"
;   3 | (char-set "aeiou")
;     | ^^^^^^^^^^^^^^^^^^
; hint: "a" is a string, #\a a character; (string-ref s 0) is the first of a string
