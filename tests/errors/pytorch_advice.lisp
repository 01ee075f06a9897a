; A name of PyTorch's that has no procedure: what to write in its place.
(define (evaluate model x) (torch.no_grad) (forward model x))
(print (evaluate tensor-relu [1.0]))

; error, status 70:
; pytorch_advice.lisp:2:29: unbound variable: torch.no_grad
;   2 | (define (evaluate model x) (torch.no_grad) (forward model x))
;     |                             ^^^^^^^^^^^^^
; hint: write (no-grad body ...)
;   in evaluate, called at pytorch_advice.lisp:3:8
