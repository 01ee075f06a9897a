; A module called in tail position of a local procedure: modules have frames of their own.
(define-module (block width)
  ((up (linear width width)))
  (forward (x) (up x)))
(define (run b x)
  (let ((apply-to (lambda (b x) (b x))))
    (list (apply-to b x))))
(run (block 3) (tensor-ones 2 2))

; error, status 70:
; module_tail_call.lisp:4:16: tensor-linear: input (2 2) has 2 features, weight (3 3) takes 3; given input float32 (2 2), weight float32 (3 3), bias float32 (3)
;   4 |   (forward (x) (up x)))
;     |                ^^^^^^
;   in module up (linear)
;   in block.forward, called at module_tail_call.lisp:6:33
;   in apply-to, called at module_tail_call.lisp:7:11
;   in run, called at module_tail_call.lisp:8:1
