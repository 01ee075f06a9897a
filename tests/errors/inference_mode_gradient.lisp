; A product with a tensor of inference-mode cannot be recorded.
(define w (requires-grad! [2.0]))
(define features (inference-mode (* [1.0] 3)))
(define loss (* w features))
(backward loss)

; error, status 70:
; inference_mode_gradient.lisp:4:14: *: a tensor that was made in inference-mode takes no part in gradients
;   4 | (define loss (* w features))
;     |              ^^^^^^^^^^^^^^
; hint: outside of inference-mode, (tensor-copy features) is an ordinary tensor; no-grad makes such, too
