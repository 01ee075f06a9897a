(define model (linear 2 3))
(model (tensor-ones 2) :bias #f)

; error, status 70:
; module_arity.lisp:2:1: linear: expected 1 argument, got 3
;   2 | (model (tensor-ones 2) :bias #f)
;     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
; hint: usage: (linear x)
