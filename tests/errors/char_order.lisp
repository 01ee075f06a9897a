; The second of three arguments is no character.
(print (char<? #\a "b" #\c))

; error, status 70:
; char_order.lisp:2:8: char<?: expected a character, got "b"
;   2 | (print (char<? #\a "b" #\c))
;     |        ^^^^^^^^^^^^^^^^^^^^
; hint: "a" is a string, #\a a character; (string-ref s 0) is the first of a string
