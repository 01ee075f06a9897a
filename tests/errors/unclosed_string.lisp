; A string without its end.
(print "abc)

; error, status 65:
; unclosed_string.lisp:2:8: unclosed "
;   2 | (print "abc)
;     |        ^
