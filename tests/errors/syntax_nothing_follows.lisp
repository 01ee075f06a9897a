; A prefix needs a datum.
(print #')

; error, status 65:
; syntax_nothing_follows.lisp:2:8: nothing follows #'
;   2 | (print #')
;     |        ^^
