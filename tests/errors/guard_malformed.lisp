(print 1)
(guard ((e #t)) 1)

; error, status 65:
; guard_malformed.lisp:2:1: guard: expected (guard (name clause ...) form ...), got (guard ((e #t)) 1)
;   2 | (guard ((e #t)) 1)
;     | ^^^^^^^^^^^^^^^^^^
