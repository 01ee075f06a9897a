; Another one.
(print (if))

; error, status 65:
; bad_if.lisp:2:8: if: expected (if test then [else]), got (if)
;   2 | (print (if))
;     |        ^^^^
