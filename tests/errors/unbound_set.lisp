; set! of a name that nothing defines.
(define counter 0)
(set! conuter 1)

; error, status 70:
; unbound_set.lisp:3:7: unbound variable: conuter
;   3 | (set! conuter 1)
;     |       ^^^^^^^
; hint: did you mean counter?
