; The model instead of its parameters.
(define model (sequential (linear 2 3)))
(adam model)

; error, status 70:
; optimizer_of_model.lisp:3:1: adam: expected a list of parameters, got #<sequential 9 parameters, 36 bytes
;   0: #<linear weight: float32 (3 2) bias: float32 (3)>>
;   3 | (adam model)
;     | ^^^^^^^^^^^^
; hint: (parameters model) is the list of a model's parameters
