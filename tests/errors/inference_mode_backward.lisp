; Nothing is recorded in inference-mode.
(define w (requires-grad! [2.0]))
(define loss (inference-mode (tensor-sum (* w 3))))
(backward loss)

; error, status 70:
; inference_mode_backward.lisp:4:1: backward: the tensor was computed in inference-mode, which records nothing
;   4 | (backward loss)
;     | ^^^^^^^^^^^^^^^
; hint: compute loss outside of inference-mode
