; A bracket closed by the other kind.
(print [1 2)

; error, status 65:
; mismatched_bracket.lisp:2:12: [ opened at 2:8 is closed by )
;   2 | (print [1 2)
;     |            ^
