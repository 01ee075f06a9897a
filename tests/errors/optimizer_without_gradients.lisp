; A step before backward.
(define w (requires-grad! [1.0 2.0]))
(define opt (adam (list w)))
(optimizer-step opt)

; error, status 70:
; optimizer_without_gradients.lisp:4:1: optimizer-step: none of the 1 parameters has a gradient
;   4 | (optimizer-step opt)
;     | ^^^^^^^^^^^^^^^^^^^^
; hint: (backward loss) computes them, from a loss that depends on the parameters; (zero-grad optimizer) clears them
