; A module called with what its method does not take.
(define m (load-module "../programs/data/module.pt"))
(define (predict x) (list (call-module m x :gain 2)))
(predict [[1.0 2.0]])

; error, status 70:
; call_module_argument.lisp:3:27: call-module: unknown keyword :gain
;   3 | (define (predict x) (list (call-module m x :gain 2)))
;     |                           ^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (forward x [scale] [bias])
;   in predict, called at call_module_argument.lisp:4:1
