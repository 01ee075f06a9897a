(define-syntax my-car (syntax-rules () ((_ x) (car x))))
(define-syntax outer (syntax-rules () ((_ x) (my-car x))))
(define (g y) (+ 1 (outer y)))
(print (g 5))

; error, status 70:
; macro_run_time.lisp:3:20: car: expected a pair, got 5
;   3 | (define (g y) (+ 1 (outer y)))
;     |                    ^^^^^^^^^
;   in the expansion of my-car
;   in the expansion of outer
;   in g, called at macro_run_time.lisp:4:8
