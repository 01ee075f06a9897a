; The start is behind the end.
(print (substring "hello" 3 2))

; error, status 70:
; substring_range.lisp:2:8: substring: start 3 is behind end 2
;   2 | (print (substring "hello" 3 2))
;     |        ^^^^^^^^^^^^^^^^^^^^^^^
