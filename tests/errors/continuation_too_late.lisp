(define saved #f)
(call/cc (lambda (k) (set! saved k)))
(print "before")
(list (saved 1))

; error, status 70:
; continuation_too_late.lisp:4:7: continuation: its call/cc has returned already, and it can only escape from there
;   4 | (list (saved 1))
;     |       ^^^^^^^^^
