; A top-level name used before its definition has run.
(define (f) later)
(print (f))
(define later 1)

; error, status 70:
; used_before_definition.lisp:2:13: unbound variable: later
;   2 | (define (f) later)
;     |             ^^^^^
;   in f, called at used_before_definition.lisp:3:8
