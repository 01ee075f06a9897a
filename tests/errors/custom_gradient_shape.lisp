; The gradient has the wrong shape: an error of the library, shown at the call.
(define total (custom-gradient tensor-sum (lambda (g x y) g)))
(define (train w) (backward (total w)) w)
(train (requires-grad! [1.0 2.0]))

; error, status 70:
; custom_gradient_shape.lisp:3:19: custom-gradient: the gradient in argument 0 has shape (), and the argument (2)
;   3 | (define (train w) (backward (total w)) w)
;     |                   ^^^^^^^^^^^^^^^^^^^^
;   in train, called at custom_gradient_shape.lisp:4:1
