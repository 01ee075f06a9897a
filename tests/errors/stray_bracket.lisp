; A closing bracket too many.
(print 1))

; error, status 65:
; stray_bracket.lisp:2:10: unexpected )
;   2 | (print 1))
;     |          ^
