; Strings do not add.
(print (+ "a" "b"))

; error, status 70:
; add_strings.lisp:2:8: +: expected a number, got "a"
;   2 | (print (+ "a" "b"))
;     |        ^^^^^^^^^^^
; hint: (string-append a b) joins strings, (string->number s) makes a number of one
