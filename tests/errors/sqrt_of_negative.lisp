; There are no complex numbers; of a proved double the message is the same.
(define (root x) (* 2 (sqrt x)))
(root -4.0)

; error, status 70:
; sqrt_of_negative.lisp:2:23: sqrt: expected a non-negative number, got -4.0
;   2 | (define (root x) (* 2 (sqrt x)))
;     |                       ^^^^^^^^
;   in root, called at sqrt_of_negative.lisp:3:1
