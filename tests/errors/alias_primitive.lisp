(define head car)
(define second-of head)
(define (main x) (second-of x))
(list (main 1))

; error, status 70:
; alias_primitive.lisp:3:18: car: expected a pair, got 1
;   3 | (define (main x) (second-of x))
;     |                  ^^^^^^^^^^^^^
;   in main, called at alias_primitive.lisp:4:7
