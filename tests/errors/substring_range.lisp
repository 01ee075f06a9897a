; The start is behind the end.
(print (substring "hello" 3 2))

; error, status 70:
; substring_range.lisp:2:8: substring: index 3 is out of range for length 2
;   2 | (print (substring "hello" 3 2))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^
