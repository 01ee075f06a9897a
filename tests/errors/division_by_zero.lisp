; Exact division by zero; the trace stops at the top level.
(define (ratio a b) (/ a b))
(print (list (ratio 1 0)))

; error, status 70:
; division_by_zero.lisp:2:21: /: division by zero
;   2 | (define (ratio a b) (/ a b))
;     |                     ^^^^^^^
;   in ratio, called at division_by_zero.lisp:3:14
