; The model instead of its parameters.
(define model (sequential (linear 2 3)))
(adam model)

; error, status 70:
; optimizer_of_model.lisp:3:1: adam: expected a list of parameters, got #<layer model: (sequential (linear 2 3)) parameters: 9>
;   3 | (adam model)
;     | ^^^^^^^^^^^^
; hint: (parameters model) is the list of a model's parameters
