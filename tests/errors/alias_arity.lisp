(define (pair-up x) (list x x))
(define double pair-up)
(define (main x) (list (double x x)))
(main 1)

; error, status 70:
; alias_arity.lisp:3:24: pair-up: expected 1 argument, got 2
;   3 | (define (main x) (list (double x x)))
;     |                        ^^^^^^^^^^^^
; hint: usage: (pair-up x)
;   in main, called at alias_arity.lisp:4:1
