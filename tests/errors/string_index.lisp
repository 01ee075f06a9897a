; Strings have ends, too.
(print (string-ref "abc" 10))

; error, status 70:
; string_index.lisp:2:8: string-ref: index 10 is out of range for length 3
;   2 | (print (string-ref "abc" 10))
;     |        ^^^^^^^^^^^^^^^^^^^^^
