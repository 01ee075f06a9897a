; A tensor that does not require grad.
(define w (requires-grad! [1.0 2.0]))
(adamw (list w (tensor-zeros 3 2)))

; error, status 70:
; optimizer_frozen_parameter.lisp:3:1: adamw: parameter 1, of shape (3 2), does not require grad
;   3 | (adamw (list w (tensor-zeros 3 2)))
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: (requires-grad! w) marks a tensor, and (filter requires-grad? parameters) leaves out frozen ones
